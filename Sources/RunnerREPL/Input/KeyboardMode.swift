import LineEditor
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

  /// Sets a mode in which keys arrive at once and are not echoed. Ctrl-C still sends its signal, which
  /// stops Lua code; Ctrl-Z and Ctrl-\ are bytes, because a paste that contains them would otherwise
  /// stop or end the session, and the shell would execute the rest of it.
  func useForEditing() {
    set { mode in
      withUnsafeMutableBytes(of: &mode.c_cc) {
        $0[Int(VSUSP)] = disabledKey
        $0[Int(VQUIT)] = disabledKey
      }
      mode.c_lflag |= tcflag_t(NOFLSH)
      mode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
      mode.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP)
      withUnsafeMutableBytes(of: &mode.c_cc) {
        $0[Int(VMIN)] = 1
        $0[Int(VTIME)] = 0
      }
    }
  }

  /// The signal that a key sends outside of an entry, if it is one of those that are bytes in it.
  func signal(of key: Key) -> Int32? {
    guard var mode = own, mode.c_lflag & tcflag_t(ISIG) != 0,
      case .character(let scalar) = key.code, key.modifiers == .control
    else { return nil }
    let byte = UInt8(truncatingIfNeeded: scalar.value & 0x1F)
    return withUnsafeBytes(of: &mode.c_cc) { characters in
      if characters[Int(VSUSP)] == byte { return SIGTSTP }
      if characters[Int(VQUIT)] == byte { return SIGQUIT }
      return nil
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
