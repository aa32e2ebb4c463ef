#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Gives the terminal its mode back when a script ends the program by `os.exit` while a line is being
/// typed, past everything that would do it in peace.
enum TerminalMode {
  /// The mode to go back to, while another is set. On the main thread.
  nonisolated(unsafe) private static var original: termios?
  private static let registration: Int32 = atexit { TerminalMode.restore() }

  /// Remembers the mode that is set now.
  static func save() {
    _ = registration
    var mode = termios()
    if tcgetattr(STDIN_FILENO, &mode) == 0 { original = mode }
  }

  /// The mode has been given back.
  static func forget() { original = nil }

  private static func restore() {
    guard var mode = original else { return }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
  }
}
