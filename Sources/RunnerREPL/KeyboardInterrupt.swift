import EventLoop
import Reactive
import RunnerCore
import Scripting
import Synchronization

import Platform

/// Handles Ctrl-C in a session: it stops the running work and never ends the program.
///
/// The signal handler sets a flag, which work that blocks the loop can check.
enum KeyboardInterrupt {
  private static let hasArrived = Atomic<Bool>(false)
  /// The handler to which the signal is forwarded: Lua's interrupt, then the loop's.
  nonisolated(unsafe) private static let next = UnsafeMutablePointer<sigaction>.allocate(
    capacity: 1)

  /// True if Ctrl-C was pressed and not handled yet.
  static var hasCome: Bool { hasArrived.load(ordering: .relaxed) }

  /// Marks it as handled.
  ///
  /// - Returns: true if it was pressed.
  @discardableResult
  static func take() -> Bool {
    MainScheduler.withdrawTurnRequest()
    let hasCome = hasArrived.exchange(false, ordering: .relaxed)
    if hasCome { answered.wrappingAdd(1, ordering: .relaxed) }
    return hasCome
  }

  /// The number of times it was handled.
  static var answers: Int { answered.load(ordering: .relaxed) }

  private static let answered = Atomic<Int>(0)

  /// Takes over SIGINT, which wakes the loop and interrupts Lua code.
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
    // The signal must also interrupt a script that waits for input inside C.
    own.sa_flags &= ~SA_RESTART
    sigaction(SIGINT, &own, nil)
  }
}
