import Platform

/// Gives the terminal back as it was when the program ends while a line is being typed, past
/// everything that would do it in peace: by `os.exit` in a script, or by a signal.
enum TerminalMode {
  /// What the terminal is asked for while lines are typed, and the end of it: to mark what is pasted.
  static let beginning = "\u{1B}[?2004h"
  static let end = "\u{1B}[?2004l"

  /// The terminal, and the mode to go back to while another is set. On the main thread.
  nonisolated(unsafe) private static var original: (terminal: Int32, mode: termios)?
  nonisolated(unsafe) private static var lastWords: (() -> Void)?
  private static let registration: Int32 = atexit {
    TerminalMode.lastWords?()
    TerminalMode.restore()
  }

  /// Remembers the mode that is set now.
  ///
  /// - Parameter atExit: called if the program ends by `exit` before `forget()`.
  static func save(_ terminal: Int32, atExit: @escaping () -> Void) {
    _ = registration
    var mode = termios()
    if tcgetattr(STDIN_FILENO, &mode) == 0 { original = (terminal, mode) }
    lastWords = atExit
  }

  /// Waits until all can be read that was typed before a key that sent a signal. The kernel sends the
  /// signal while it still holds back what came in one piece with the key, and lets nobody set the mode
  /// before it has released that.
  static func awaitTypedKeys() {
    var mode = termios()
    if tcgetattr(STDIN_FILENO, &mode) == 0 { tcsetattr(STDIN_FILENO, TCSANOW, &mode) }
  }

  /// Whether keys wait to be read.
  static var hasUnreadKeys: Bool {
    var count: Int32 = 0
    return ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 && count > 0
  }

  /// The mode has been given back.
  static func forget() {
    original = nil
    lastWords = nil
  }

  /// Gives the mode back. Also inside a signal handler: nothing here allocates or locks.
  static func restore() {
    guard var original else { return }
    end.utf8.withContiguousStorageIfAvailable {
      _ = write(original.terminal, $0.baseAddress, $0.count)
    }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &original.mode)
  }
}
