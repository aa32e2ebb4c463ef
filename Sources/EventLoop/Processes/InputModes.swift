import Platform

/// The modes of the terminal at our standard input. A child that has a terminal of its own, and so is of
/// another session, can change them without ever owning it.
struct InputModes {
  private var modes = termios()

  /// Fails if standard input is no terminal.
  init?() {
    guard tcgetattr(STDIN_FILENO, &modes) == 0 else { return nil }
  }

  /// Sets them again, unless we are in the background, where they are the shell's.
  func restore() {
    guard tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
    var modes = modes
    tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
  }
}
