import CSignals
import Platform

/// Waits for what the user types, without the event loop.
package enum TypedInput: Equatable {
  case bytes
  /// The time is over, or a signal that does not end the wait has arrived.
  case nothing
  /// The run must end, or Ctrl-C was pressed in a session, which it does not end.
  case stop

  /// True if a signal has come that ends the wait.
  static var isStopped: Bool { Interruption.hasCome || csignals_keyboard() }

  /// Discards what was typed before Ctrl-C in a session, whose terminal mode keeps it.
  static func discardInterrupted() {
    if csignals_keyboard() { tcflush(STDIN_FILENO, TCIFLUSH) }
  }

  /// Waits for a byte, or for a signal, without losing a signal that arrives before the wait begins.
  package static func wait(atMost limit: Duration? = nil) -> TypedInput {
    var blocked = sigset_t()
    var usual = sigset_t()
    sigfillset(&blocked)
    pthread_sigmask(SIG_BLOCK, &blocked, &usual)
    defer { pthread_sigmask(SIG_SETMASK, &usual, nil) }
    if isStopped { return .stop }
    var input = fd_set()
    // Standard input is descriptor 0.
    withUnsafeMutableBytes(of: &input) { $0[0] = 1 }
    guard let limit else {
      return pselect(STDIN_FILENO + 1, &input, nil, nil, nil, &usual) > 0 ? .bytes : .nothing
    }
    let (seconds, attoseconds) = limit.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    return pselect(STDIN_FILENO + 1, &input, nil, nil, &time, &usual) > 0 ? .bytes : .nothing
  }
}
