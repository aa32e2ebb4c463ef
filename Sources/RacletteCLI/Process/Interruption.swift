import EventLoop
import Reactive
import Synchronization

import Platform

/// The OS signals that end a run: the first asks for the end, the second forces it.
///
/// The first is handled on the event loop. The second must not wait for anything, not for the loop
/// and not for Lua code that its clean-up may be stuck in; it is handled where it arrives.
enum Interruption {
  static let signals = [SIGINT, SIGTERM, SIGHUP]

  private static let first = Atomic<Int32>(0)
  private static let firstTime = Atomic<Int64>(0)
  private static let isAnswered = Atomic<Bool>(false)
  /// The loop's handlers, which every signal goes on to, by the signal's number. Written before the
  /// handlers in front of them are installed.
  nonisolated(unsafe) private static let handlers = UnsafeMutablePointer<sigaction>.allocate(
    capacity: Int(SIGTERM) + 1)

  /// The first that has come since `watch()`.
  static var signal: Int32? {
    let signal = first.load(ordering: .relaxed)
    return signal == 0 ? nil : signal
  }

  /// Whether one has come since `watch()`.
  static var hasCome: Bool { signal != nil }

  /// Whether whoever started the program wants it to survive a signal, as `nohup` does with SIGHUP.
  static func isUnwanted(_ signal: Int32) -> Bool {
    signal == SIGHUP && isIgnored(signal)
  }

  /// Stands in front of the handlers that are installed now.
  static func watch(_ signal: Int32) {
    first.store(0, ordering: .relaxed)
    isAnswered.store(false, ordering: .relaxed)
    sigaction(signal, nil, handlers + Int(signal))
    var own = handlers[Int(signal)]
    own.detailedHandler = { signal, info, context in
      Interruption.arrived(signal)
      Interruption.handlers[Int(signal)].detailedHandler?(signal, info, context)
    }
    sigaction(signal, &own, nil)
  }

  /// Says that the first has begun to take effect, so that whatever comes next is the second.
  static func answer() {
    MainScheduler.withdrawTurnRequest()
    isAnswered.store(true, ordering: .relaxed)
  }

  /// Inside a signal handler: nothing here may allocate or lock.
  private static func arrived(_ signal: Int32) {
    var clock = timespec()
    clock_gettime(CLOCK_MONOTONIC, &clock)
    let now = Int64(clock.tv_sec) * 1000 + Int64(clock.tv_nsec) / 1_000_000
    let earlier = first.load(ordering: .relaxed)
    if earlier == 0 {
      BlockedOutput.abandon()
      MainScheduler.requestTurn()
      firstTime.store(now, ordering: .relaxed)
      first.store(signal, ordering: .relaxed)
      return
    }
    // timeout(1) signals its child and then its own group, which is one request that comes twice.
    let isNews =
      isAnswered.load(ordering: .relaxed) || now - firstTime.load(ordering: .relaxed) >= 50
    guard isNews else { return }
    EventLoop.killChildGroups()
    TerminalMode.restore()
    _exit(128 + earlier)
  }
}
