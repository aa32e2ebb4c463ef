import CSignals
import Platform

/// Restores the terminal mode of the user when the program ends without its normal clean-up: by
/// `os.exit` in a script, or by a signal.
package enum TerminalMode {
  /// The sequences that switch bracketed paste on and off while the user types entries.
  package static let beginning = "\u{1B}[?2004h"
  package static let end = CSIGNALS_END_OF_PASTE

  /// A callback for the last output if the program ends while the user types an entry. On the main
  /// thread.
  nonisolated(unsafe) private static var lastWords: (() -> Void)?
  private static let registration: Int32 = atexit {
    TerminalMode.lastWords?()
    csignals_restore_terminal()
  }
  private static let crashHandlers: Void = csignals_watch_crashes()

  /// Marks the start of a session's use of the terminal.
  package static func begin(_ mode: termios?) {
    _ = registration
    crashHandlers
    keep(mode)
  }

  private static func keep(_ mode: termios?) {
    if var mode { csignals_keep_terminal(&mode) } else { csignals_keep_terminal(nil) }
  }

  /// Lets `body` change a mode, which is restored at its end and if the program ends meanwhile.
  static func changing<Result>(_ mode: inout termios, _ body: () -> Result) -> Result {
    var former = termios()
    let outer = csignals_kept_terminal(&former) ? former : nil
    begin(mode)
    defer {
      tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
      keep(outer)
    }
    return body()
  }

  /// Marks the start of the editing of an entry.
  ///
  /// - Parameter atExit: called if the program ends by `exit` before `endEditing()`.
  package static func beginEditing(_ terminal: Int32, atExit: @escaping () -> Void) {
    csignals_edit_at(terminal)
    lastWords = atExit
  }

  package static func endEditing() {
    csignals_edit_at(-1)
    lastWords = nil
  }

  /// The sequence that leaves the alternate screen.
  package static let endOfScreen = CSIGNALS_END_OF_SCREEN

  /// Marks the start of the use of the alternate screen, which is left if the program ends before
  /// `endScreen()`.
  package static func beginScreen(_ terminal: Int32) { csignals_screen_at(terminal) }

  package static func endScreen() { csignals_screen_at(-1) }

  /// Forgets the mode, once it has been restored.
  package static func forget() {
    keep(nil)
    endEditing()
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
  package static var isOurs: Bool { csignals_owns_terminal() }
}
