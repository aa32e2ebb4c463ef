import EventLoop
import Reactive
import Scripting
import Synchronization

import Platform

/// Ctrl-C in a session: it stops what is going on and never ends the program.
///
/// Noted where the signal arrives, so that work which keeps the loop from turning can look it up.
enum KeyboardInterrupt {
  private static let hasArrived = Atomic<Bool>(false)
  /// The handler that the signal goes on to: Lua's interrupt, then the loop's.
  nonisolated(unsafe) private static let next = UnsafeMutablePointer<sigaction>.allocate(
    capacity: 1)

  /// Whether Ctrl-C was pressed and nobody has answered yet.
  static var hasCome: Bool { hasArrived.load(ordering: .relaxed) }

  /// Answers it.
  ///
  /// - Returns: whether it had come.
  @discardableResult
  static func take() -> Bool {
    MainScheduler.withdrawTurnRequest()
    let hasCome = hasArrived.exchange(false, ordering: .relaxed)
    if hasCome { answered.wrappingAdd(1, ordering: .relaxed) }
    return hasCome
  }

  /// How often it was answered.
  static var answers: Int { answered.load(ordering: .relaxed) }

  private static let answered = Atomic<Int>(0)

  /// Takes SIGINT over: it wakes the loop and interrupts Lua code.
  static func watch(_ session: Session) throws {
    try session.loop.onSignal(SIGINT) {}
    session.host.interrupts(on: SIGINT)
    sigaction(SIGINT, nil, next)
    var own = next.pointee
    own.detailedHandler = { signal, info, context in
      MainScheduler.requestTurn()
      KeyboardInterrupt.hasArrived.store(true, ordering: .relaxed)
      KeyboardInterrupt.next.pointee.detailedHandler?(signal, info, context)
    }
    // A script that waits for input inside C has to hear of it too.
    own.sa_flags &= ~SA_RESTART
    sigaction(SIGINT, &own, nil)
  }
}
