import CSignals
import EventLoop
import Platform
import RunnerCore
import Scripting
import Synchronization

/// Handles Ctrl-C in a session: it stops the running work and never ends the program.
///
/// The signal handler sets a flag, which work that blocks the loop can check.
enum KeyboardInterrupt {
  private static let answered = Atomic<Int>(0)

  /// True if Ctrl-C was pressed and not handled yet.
  static var hasCome: Bool { csignals_keyboard() }

  /// Marks it as handled.
  ///
  /// - Returns: true if it was pressed.
  @discardableResult
  static func take() -> Bool {
    let hasCome = csignals_take_keyboard()
    if hasCome { answered.wrappingAdd(1, ordering: .relaxed) }
    return hasCome
  }

  /// The number of times it was handled.
  static var answers: Int { answered.load(ordering: .relaxed) }

  /// Takes over SIGINT, which wakes the loop and interrupts Lua code.
  static func watch(_ session: Session) throws {
    try session.loop.onSignal(SIGINT) {}
    session.host.interrupts(on: SIGINT)
    csignals_add(SIGINT, CSIGNALS_KEYBOARD)
  }
}
