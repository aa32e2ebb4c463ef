import LineEditor
import TerminalScreen

/// An editor whose keys are typed and whose screen is seen.
final class EditorScreen {
  let editor: Editor
  let screen: Screen
  let language: SmallLanguage
  private var decoder = KeyDecoder()
  private var width: Int
  private var height: Int
  /// What came of the events so far, without `none`.
  private(set) var outcomes: [EditorOutcome] = []
  /// The entries that were given.
  private(set) var entries: [String] = []
  private(set) var written = 0

  init(
    history: [String] = [], rows: Int = 10, columns: Int = 40, theme: Theme = .standard,
    language: SmallLanguage = SmallLanguage()
  ) {
    editor = Editor(history: EntryHistory(history), theme: theme)
    screen = Screen(rows: rows, columns: columns)
    (width, height) = (columns, rows)
    self.language = language
    editor.delegate = language
    draw()
  }

  func type(_ keys: String) { type(bytes: Array(keys.utf8)) }

  func type(bytes: [UInt8]) {
    decoder.feed(bytes)
    while let event = decoder.next(escapeIsKey: true) { handle(event) }
    draw()
  }

  /// Presses keys by their names.
  func press(_ names: String) {
    for key in Key.sequence(named: names) ?? [] { handle(.key(key)) }
    draw()
  }

  func paste(_ text: String) {
    handle(.paste(Array(text.utf8)))
    draw()
  }

  func resize(rows: Int, columns: Int) {
    screen.resize(rows: rows, columns: columns)
    (width, height) = (columns, rows)
    write(editor.resize(width: columns))
    draw()
  }

  /// Writes something above the entry, as background output is.
  func writeAbove(_ text: String) {
    write(editor.erase() + text)
    draw()
  }

  func draw() { write(editor.draw(width: width, height: height)) }

  private func handle(_ event: InputEvent) {
    let outcome = editor.handle(event)
    if outcome != .none { outcomes.append(outcome) }
    if case .accept(let text) = outcome {
      entries.append(text)
      write(editor.finish(width: width, height: height))
      editor.history.append(text)
      editor.begin()
    }
  }

  private func write(_ text: String) {
    written += text.utf8.count
    // A terminal in raw mode leaves line feeds as they are.
    screen.write(Array(text.utf8))
  }
}

/// A language of brackets and blocks: `do` opens one, `end` closes it. Quotes enclose strings.
final class SmallLanguage: EditorDelegate {
  var words: [Completion] = []
  var hints: [String: String] = [:]

  private func depth(_ text: String) -> Int {
    text.reduce(0) { $0 + ("({".contains($1) ? 1 : ")}".contains($1) ? -1 : 0) }
      + text.split { !$0.isLetter }.reduce(0) { $0 + ($1 == "do" ? 1 : $1 == "end" ? -1 : 0) }
  }

  func isComplete(_ text: String) -> Bool { depth(text) <= 0 }

  func indentation(after text: String, of line: String) -> Int? {
    if text.split(separator: "\"", omittingEmptySubsequences: false).count.isMultiple(of: 2) {
      return nil
    }
    return 2 * max(0, depth(text) - (reindents(line) ? 1 : 0))
  }

  func reindents(_ word: String) -> Bool { word == "end" || word == "}" || word == ")" }

  func highlights(of buffer: EditBuffer) -> [StyledRange] {
    var ranges: [StyledRange] = []
    var start: Int?
    for (index, character) in (buffer.characters + [" "]).enumerated() {
      if character.isLetter {
        if start == nil { start = index }
      } else if let first = start {
        if ["do", "end"].contains(buffer.text(in: first..<index)) {
          ranges.append(StyledRange(first..<index, .keyword))
        }
        start = nil
      }
    }
    return ranges
  }

  func completions(of buffer: EditBuffer) -> CompletionList {
    let word = buffer.textBeforeCursor.reversed().prefix { $0.isLetter }.reversed()
    let prefix = String(word)
    return CompletionList(
      replacing: prefix.count, words.filter { $0.text.hasPrefix(prefix) })
  }

  func hint(for buffer: EditBuffer) -> String? { hints[buffer.text] }
}
