/// The action that the host must take after an event.
public enum EditorOutcome: Equatable, Sendable {
  case none
  /// The user submitted the entry.
  case accept(String)
  /// Ctrl-D on an empty entry.
  case end
  case clearScreen
  /// The user wants to edit the entry in an external editor; the host returns its text by
  /// `replaceText`.
  case editExternally
  /// The event has no meaning here.
  case beep
  /// A binding that the host defined.
  case custom(String)
}

/// An editor of entries of one or more lines: a state machine without its own input and output. It
/// takes events, and `draw` returns text for the terminal.
///
/// An editor is confined to the thread that created it.
public final class Editor {
  /// Implements the language of the entries.
  public weak var delegate: (any EditorDelegate)?
  /// The earlier entries.
  public var history: EntryHistory
  /// Maps keys to commands; made with the first key, so that no prompt waits for it.
  public lazy var keymap = makeKeymap()
  private let makeKeymap: () -> Keymap
  /// True to use vi's keys in addition to `keymap`.
  public var hasViKeys: Bool {
    get { vi != nil }
    set { vi = newValue ? vi ?? ViState() : nil }
  }
  /// The text before the first line of an entry.
  public var prompt = "> "
  /// The text before the other lines.
  public var continuationPrompt = ". "
  /// Lines that stay above the prompt.
  public var status: [String] = []

  /// The entry being edited.
  public internal(set) var buffer = EditBuffer()
  var undoHistory = UndoHistory()
  var killRing = KillRing()
  var search: HistorySearch?
  var menu: CompletionMenu?
  var vi: ViState?
  var lastCommand: EditorCommand?
  /// The column that vertical movement keeps.
  var wantedColumn: Int?
  /// The text that Alt-. inserted last, and the entry from which it was copied.
  var lastArgument: (range: Range<Int>, entry: Int)?
  /// The range that was last inserted from the kill ring.
  var yankedRange: Range<Int>?
  var isQuoting = false
  var pendingKeys: [Key] = []
  var painter: Painter
  let theme: Theme

  /// Creates an editor with an empty entry.
  public init(
    history: EntryHistory = EntryHistory(), keymap: @autoclosure @escaping () -> Keymap = .emacs,
    theme: Theme = .standard
  ) {
    self.history = history
    makeKeymap = keymap
    self.theme = theme
    painter = Painter(theme: theme)
  }

  /// Begins an entry.
  ///
  /// - Parameter text: the initial text.
  public func begin(with text: String = "") {
    buffer = EditBuffer(text)
    undoHistory = UndoHistory()
    history.endWalk()
    (search, menu, lastCommand, wantedColumn, lastArgument, yankedRange) = (
      nil, nil, nil, nil, nil, nil
    )
    (isQuoting, pendingKeys) = (false, [])
    vi = vi.map { _ in ViState() }
  }

  /// Replaces the whole entry, as one change.
  ///
  /// - Parameter bytes: the number of its bytes before the cursor; nil for all.
  public func replaceText(_ text: String, cursorAfter bytes: Int? = nil) {
    var other = EditBuffer(text)
    if let bytes {
      let before = text.utf8.prefix(max(0, bytes))
      other.moveCursor(to: String(decoding: before, as: UTF8.self).count)
    }
    history.endWalk()
    exchange(for: other)
  }

  /// Handles an event from the terminal.
  public func handle(_ event: InputEvent) -> EditorOutcome {
    switch event {
    case .paste(let bytes):
      endMenu()
      endSearch()
      paste(bytes)
      return .none
    case .key(let key): return handle(key)
    case .text(let text):
      guard search == nil, menu == nil, vi?.isInserting != false, !isQuoting, pendingKeys.isEmpty
      else {
        for scalar in text.unicodeScalars { _ = handle(.typed(scalar)) }
        return .none
      }
      change(.typing) { $0.insert(text) }
      lastCommand = nil
      return .none
    }
  }

  private func handle(_ key: Key) -> EditorOutcome {
    if isQuoting {
      isQuoting = false
      insertQuoted(key)
      return .none
    }
    if search != nil, let outcome = handleSearch(key) { return outcome }
    if menu != nil, handleMenu(key) { return .none }
    if let letter = letterAfterEscape(key) {
      _ = handle(Key(.escape))
      return handle(letter)
    }
    if pendingKeys.isEmpty, let outcome = handleVi(key) { return outcome }
    pendingKeys.append(key)
    let keys = pendingKeys
    switch keymap.match(keys) {
    case .prefix: return .none
    case .binding(let binding):
      pendingKeys = []
      return perform(binding)
    case .none:
      pendingKeys = []
      guard keys.count == 1, case .character(let scalar) = key.code,
        key.modifiers.isDisjoint(with: [.alt, .control])
      else { return .beep }
      type(scalar)
      lastCommand = nil
      return .none
    }
  }

  private func perform(_ binding: KeyBinding) -> EditorOutcome {
    switch binding {
    case .custom(let name):
      lastCommand = nil
      return .custom(name)
    case .command(let command):
      defer { lastCommand = command }
      return perform(command)
    }
  }

  // MARK: Changing the text

  /// Changes the buffer as an undoable step.
  ///
  /// - Parameter body: receives the buffer, and must not access it in another way.
  func change(_ kind: UndoHistory.Change, _ body: (inout EditBuffer) -> Void) {
    // While a copy is retained, the next change copies the text: copy only where a step begins.
    let before = undoHistory.begins(kind) ? buffer : nil
    let revision = buffer.revision
    body(&buffer)
    guard buffer.revision != revision else { return }
    undoHistory.note(kind, before: before)
    history.endWalk()
    wantedColumn = nil
  }

  /// Replaces the buffer with another one, as an undoable step.
  func exchange(for other: EditBuffer) {
    undoHistory.note(.other, before: buffer)
    buffer = other
  }

  func type(_ scalar: Unicode.Scalar) {
    guard scalar.value >= 32 else { return }
    change(.typing) { $0.insert(String(Character(scalar))) }
    if scalar == " " { undoHistory.endRun() }
    reindent()
    wantedColumn = nil
  }

  /// Inserts pasted text without the characters that are not text.
  private func paste(_ bytes: [UInt8]) {
    var text = String.UnicodeScalarView()
    var previous: Unicode.Scalar = " "
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\n" where previous == "\r": break
      case "\r", "\n": text.append("\n")
      case "\t": text.append(scalar)
      case _ where scalar.value < 32 || scalar.value == 127: break
      default: text.append(scalar)
      }
      previous = scalar
    }
    while text.last == "\n" { text.removeLast() }
    change(.other) { $0.insert(String(text)) }
    lastCommand = nil
  }

  private func insertQuoted(_ key: Key) {
    switch (key.code, key.modifiers) {
    case (.tab, _): change(.other) { $0.insert("\t") }
    case (.enter, _): change(.other) { $0.insert("\n") }
    case (.escape, _): change(.other) { $0.insert("\u{1B}") }
    case (.character(let scalar), []): type(scalar)
    case (.character(let scalar), .control):
      let control = Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value) & 31)
      change(.other) { $0.insert(String(Character(control))) }
    default: break
    }
  }

  // MARK: Indentation

  func breakLine() {
    let rest = buffer.characters[buffer.cursor..<buffer.endOfLine(at: buffer.cursor)]
    let line = String(rest.drop { $0 == " " })
    guard let spaces = delegate?.indentation(after: buffer.textBeforeCursor, of: line) ?? nil else {
      return change(.other) { $0.insert("\n") }
    }
    // The indentation replaces the white space at both sides of the break.
    let end = buffer.cursor + rest.prefix { $0 == " " }.count
    let start = (buffer.characters[..<buffer.cursor].lastIndex { $0 != " " } ?? -1) + 1
    change(.other) {
      $0.replace(start..<end, with: "\n" + String(repeating: " ", count: spaces))
    }
  }

  /// Reindents a line once its beginning is typed: moves the end of a block to the left.
  private func reindent() {
    let start = buffer.startOfLine(at: buffer.cursor)
    guard start > 0, buffer.cursor == buffer.endOfLine(at: start) else { return }
    let line = buffer.characters[start..<buffer.cursor]
    let word = String(line.drop { $0 == " " })
    guard delegate?.reindents(word) == true else { return }
    let before = String(buffer.characters[..<(start - 1)])
    let present = line.count - word.count
    guard let wanted = delegate?.indentation(after: before, of: word) ?? nil, wanted != present
    else {
      return
    }
    let end = buffer.cursor + wanted - present
    change(.typing) {
      $0.replace(start..<start + present, with: String(repeating: " ", count: wanted))
      $0.moveCursor(to: end)
    }
  }
}
