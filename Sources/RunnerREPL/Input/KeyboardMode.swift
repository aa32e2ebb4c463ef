import Platform
import RunnerCore

/// The modes of the terminal that a session reads from: the original one, one for running programs,
/// and one in which each key arrives at once.
final class KeyboardMode {
  private let own: termios?

  init() {
    var mode = termios()
    own = tcgetattr(STDIN_FILENO, &mode) == 0 ? mode : nil
    TerminalMode.begin(own)
  }

  /// Sets the original mode, except that Ctrl-C does not flush input and output: the terminal would
  /// discard them after it has sent the signal, and with them the program's response.
  func useForPrograms() {
    set { $0.c_lflag |= tcflag_t(NOFLSH) }
  }

  /// Sets a mode in which keys arrive at once and are not echoed; those that send signals still do.
  func useForEditing() {
    set { mode in
      mode.c_lflag |= tcflag_t(NOFLSH)
      mode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
      mode.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP)
      withUnsafeMutableBytes(of: &mode.c_cc) {
        $0[Int(VMIN)] = 1
        $0[Int(VTIME)] = 0
      }
    }
  }

  /// Restores the original mode until the terminal is used again.
  func restore() { set { _ in } }

  /// Restores the original mode permanently.
  func finish() {
    restore()
    TerminalMode.forget()
  }

  private func set(_ change: (inout termios) -> Void) {
    guard var mode = own else { return }
    change(&mode)
    // Output is the same in all modes, so there is no need to wait until it is shown.
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }
}
