import Platform

/// Restores the terminal mode of the user when the program ends without its normal clean-up: by
/// `os.exit` in a script, or by a signal.
package enum TerminalMode {
  /// The sequences that switch bracketed paste on and off while the user types entries.
  package static let beginning = "\u{1B}[?2004h"
  package static let end = "\u{1B}[?2004l"

  /// The original mode while a session uses the terminal. On the main thread.
  nonisolated(unsafe) private static var original: termios?
  /// The terminal while the user types an entry, and a callback for the last output if the program
  /// ends meanwhile.
  nonisolated(unsafe) private static var editing: (terminal: Int32, lastWords: () -> Void)?
  private static let registration: Int32 = atexit {
    TerminalMode.editing?.lastWords()
    TerminalMode.restore()
  }

  /// Restores the mode before a crash ends the program.
  private static let crashHandlers: Void = {
    for crash in [SIGABRT, SIGBUS, SIGILL, SIGSEGV, SIGTRAP] where hasDefaultAction(crash) {
      signal(crash) { crash in
        TerminalMode.restore()
        signal(crash, SIG_DFL)
        // Takes effect when this handler returns.
        raise(crash)
      }
    }
  }()

  /// Marks the start of a session's use of the terminal.
  package static func begin(_ mode: termios?) {
    _ = registration
    crashHandlers
    original = mode
  }

  /// Lets `body` change a mode, which is restored at its end and if the program ends meanwhile.
  static func changing<Result>(_ mode: inout termios, _ body: () -> Result) -> Result {
    let outer = original
    begin(mode)
    defer {
      tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
      original = outer
    }
    return body()
  }

  /// Marks the start of the editing of an entry.
  ///
  /// - Parameter atExit: called if the program ends by `exit` before `endEditing()`.
  package static func beginEditing(_ terminal: Int32, atExit: @escaping () -> Void) {
    editing = (terminal, atExit)
  }

  package static func endEditing() { editing = nil }

  /// Forgets the mode, once it has been restored.
  package static func forget() {
    original = nil
    editing = nil
  }

  /// Waits until all input typed before a key that sent a signal can be read. The kernel sends the
  /// signal while it still holds back the bytes that arrived in one piece with the key, and blocks
  /// changes of the mode until it has released them.
  package static func awaitTypedKeys() {
    var mode = termios()
    if tcgetattr(STDIN_FILENO, &mode) == 0 { tcsetattr(STDIN_FILENO, TCSANOW, &mode) }
  }

  /// True if unread keys are pending.
  package static var hasUnreadKeys: Bool {
    var count: Int32 = 0
    return ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 && count > 0
  }

  /// True if no other process group owns the terminal, where setting its mode would stop this one.
  package static var isOurs: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

  /// Discards what was typed for a session, so that the shell does not execute it. Also runs inside a
  /// signal handler.
  static func discardTyped() {
    guard original != nil, isOurs else { return }
    tcflush(STDIN_FILENO, TCIFLUSH)
  }

  /// Restores the mode. Also runs inside a signal handler: it must not allocate or lock.
  static func restore() {
    if let editing {
      end.utf8.withContiguousStorageIfAvailable {
        _ = write(editing.terminal, $0.baseAddress, $0.count)
      }
    }
    guard var original, isOurs else { return }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &original)
  }
}
