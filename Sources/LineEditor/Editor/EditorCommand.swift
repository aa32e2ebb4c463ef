/// The commands that keys can be bound to, with the names of Emacs and readline.
public enum EditorCommand: String, CaseIterable, Sendable {
  case forwardCharacter = "forward-char"
  case backwardCharacter = "backward-char"
  case forwardWord = "forward-word"
  case backwardWord = "backward-word"
  case beginningOfLine = "beginning-of-line"
  case endOfLine = "end-of-line"
  case beginningOfBuffer = "beginning-of-buffer"
  case endOfBuffer = "end-of-buffer"
  case previousLine = "previous-line"
  case nextLine = "next-line"
  case previousHistory = "previous-history"
  case nextHistory = "next-history"
  case searchBackward = "reverse-search-history"
  case searchForward = "forward-search-history"

  case deleteCharacter = "delete-char"
  case deleteBackward = "backward-delete-char"
  case deleteOrEnd = "delete-char-or-end"
  case killLine = "kill-line"
  case killToStart = "backward-kill-line"
  case killWord = "kill-word"
  case killWordBackward = "backward-kill-word"
  case killBlankWordBackward = "unix-word-rubout"
  case yank
  case yankEarlier = "yank-pop"
  case yankLastArgument = "yank-last-arg"
  case transposeCharacters = "transpose-chars"
  case transposeWords = "transpose-words"
  case upcaseWord = "upcase-word"
  case downcaseWord = "downcase-word"
  case capitalizeWord = "capitalize-word"
  case undo
  case redo
  case quotedInsert = "quoted-insert"

  case accept = "accept-line"
  case breakLine = "newline"
  case complete
  case completeBackward = "complete-backward"
  case abort
  case clearScreen = "clear-screen"
  case editExternally = "edit-in-editor"

  /// True if the command cuts text, which is joined to the text cut right before.
  var isKill: Bool {
    switch self {
    case .killLine, .killToStart, .killWord, .killWordBackward, .killBlankWordBackward: true
    default: false
    }
  }
}
