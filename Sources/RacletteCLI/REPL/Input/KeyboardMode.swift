import Platform

/// The modes of the terminal that a session reads from: the user's own, one for programs that run, and
/// one in which each key arrives at once.
final class KeyboardMode {
  private let own: termios?

  init() {
    var mode = termios()
    own = tcgetattr(STDIN_FILENO, &mode) == 0 ? mode : nil
    TerminalMode.begin(own)
  }

  /// The user's mode, but that Ctrl-C leaves what was written and typed: the terminal throws it away
  /// after it has sent the signal, and with it what the program has written in answer.
  func useForPrograms() {
    set { $0.c_lflag |= tcflag_t(NOFLSH) }
  }

  /// Keys arrive at once and are not shown; those that send signals still do.
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

  /// Gives the user's mode back until it is used again.
  func restore() { set { _ in } }

  /// Gives the user's mode back for good.
  func finish() {
    restore()
    TerminalMode.forget()
  }

  private func set(_ change: (inout termios) -> Void) {
    guard var mode = own else { return }
    change(&mode)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
  }
}
