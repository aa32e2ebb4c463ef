import EventLoop
import Reactive
import Synchronization

import Platform

/// The OS signals that end a run: the first requests the end, the second forces it.
///
/// The event loop handles the first. The second must not wait for the loop or for Lua code that may
/// block the clean-up, so the signal handler itself handles it.
package enum Interruption {
  package static let signals = [SIGINT, SIGTERM, SIGHUP]

  private static let first = Atomic<Int32>(0)
  private static let firstTime = Atomic<Int64>(0)
  private static let isAnswered = Atomic<Bool>(false)
  /// The loop's handlers, to which every signal is forwarded, by signal number. Written before the
  /// handlers that forward to them are installed.
  nonisolated(unsafe) private static let handlers = UnsafeMutablePointer<sigaction>.allocate(
    capacity: Int(SIGTERM) + 1)

  /// The first signal received since `watch()`.
  static var signal: Int32? {
    let signal = first.load(ordering: .relaxed)
    return signal == 0 ? nil : signal
  }

  /// True if a signal was received since `watch()`.
  package static var hasCome: Bool { signal != nil }

  /// True if the parent process has made the program ignore a signal, as `nohup` does with SIGHUP.
  static func isUnwanted(_ signal: Int32) -> Bool {
    signal == SIGHUP && isIgnored(signal)
  }

  /// Installs a handler that forwards to the current one.
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

  /// Records that the first signal has begun to take effect, so that any later one is the second.
  static func answer() {
    MainScheduler.withdrawTurnRequest()
    isAnswered.store(true, ordering: .relaxed)
  }

  /// Runs inside a signal handler: it must not allocate or lock.
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
    // timeout(1) signals its child and then its own group: one request that arrives twice.
    let isNews =
      isAnswered.load(ordering: .relaxed) || now - firstTime.load(ordering: .relaxed) >= 50
    guard isNews else { return }
    EventLoop.killChildGroups()
    TerminalMode.restore()
    _exit(128 + earlier)
  }
}
