import Platform

/// Gives the terminal back as the user had it when the program ends past everything that would do it in
/// peace: by `os.exit` in a script, or by a signal.
enum TerminalMode {
  /// What the terminal is asked for while entries are typed, and the end of it: to mark what is pasted.
  static let beginning = "\u{1B}[?2004h"
  static let end = "\u{1B}[?2004l"

  /// The user's own mode while a session uses the terminal. On the main thread.
  nonisolated(unsafe) private static var original: termios?
  /// The terminal while an entry is typed, and what is shown last if the program ends meanwhile.
  nonisolated(unsafe) private static var editing: (terminal: Int32, lastWords: () -> Void)?
  private static let registration: Int32 = atexit {
    TerminalMode.editing?.lastWords()
    TerminalMode.restore()
  }

  /// A session begins to use the terminal.
  static func begin(_ mode: termios?) {
    _ = registration
    original = mode
  }

  /// An entry begins to be typed.
  ///
  /// - Parameter atExit: called if the program ends by `exit` before `endEditing()`.
  static func beginEditing(_ terminal: Int32, atExit: @escaping () -> Void) {
    editing = (terminal, atExit)
  }

  static func endEditing() { editing = nil }

  /// The mode has been given back.
  static func forget() {
    original = nil
    editing = nil
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

  /// Gives the mode back. Also inside a signal handler: nothing here allocates or locks.
  static func restore() {
    if let editing {
      end.utf8.withContiguousStorageIfAvailable {
        _ = write(editing.terminal, $0.baseAddress, $0.count)
      }
    }
    // In the background the terminal is somebody else's, and setting its mode would stop us.
    guard var original, tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &original)
  }
}
