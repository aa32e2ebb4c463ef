/// The text under edit and its cursor. Positions count characters (grapheme clusters).
public struct EditBuffer: Equatable, Sendable {
  /// The text as grapheme clusters.
  public private(set) var characters: [Character] = []
  /// The number of characters before the cursor.
  public private(set) var cursor = 0
  /// Counts the changes of the text.
  private(set) var revision = 0

  /// Creates a buffer with a text, and the cursor at its end.
  public init(_ text: String = "") {
    characters = Array(text)
    cursor = characters.count
  }

  /// Returns true if two buffers have the same text and cursor.
  public static func == (left: EditBuffer, right: EditBuffer) -> Bool {
    left.cursor == right.cursor && left.characters == right.characters
  }

  /// The whole text.
  public var text: String { String(characters) }
  /// The text up to the cursor.
  public var textBeforeCursor: String { String(characters[..<cursor]) }
  /// True if the buffer is empty.
  public var isEmpty: Bool { characters.isEmpty }
  /// True if the cursor is at the end of the text.
  public var isAtEnd: Bool { cursor == characters.count }

  /// A part of the text.
  public func text(in range: Range<Int>) -> String { String(characters[range]) }

  // MARK: Changing

  /// Moves the cursor, limited to the ends of the text.
  public mutating func moveCursor(to position: Int) {
    cursor = min(max(position, 0), characters.count)
  }

  /// Inserts text at the cursor. Combining marks join the character before it.
  public mutating func insert(_ text: String) {
    guard !text.isEmpty else { return }
    revision += 1
    let count = characters.count
    guard cursor > 0,
      text.unicodeScalars.first.map({ !$0.isASCII }) == true
        || characters[cursor - 1].unicodeScalars.last == "\u{200D}"
    else {
      characters.insert(contentsOf: text, at: cursor)
      cursor += characters.count - count
      return
    }
    let joined = Array(String(characters[cursor - 1]) + text)
    characters.replaceSubrange(cursor - 1..<cursor, with: joined)
    cursor += joined.count - 1
  }

  /// Removes a range and adjusts the cursor.
  @discardableResult
  public mutating func remove(_ range: Range<Int>) -> String {
    guard !range.isEmpty else { return "" }
    revision += 1
    let removed = text(in: range)
    characters.removeSubrange(range)
    if cursor > range.upperBound {
      cursor -= range.count
    } else if cursor > range.lowerBound {
      cursor = range.lowerBound
    }
    return removed
  }

  /// Replaces a range and puts the cursor after the replacement.
  public mutating func replace(_ range: Range<Int>, with text: String) {
    remove(range)
    cursor = range.lowerBound
    insert(text)
  }

  // MARK: Lines

  /// The start of the line that contains a position.
  public func startOfLine(at position: Int) -> Int {
    characters[..<position].lastIndex(of: "\n").map { $0 + 1 } ?? 0
  }

  /// The end of the line that contains a position, before its line break.
  public func endOfLine(at position: Int) -> Int {
    characters[position...].firstIndex(of: "\n") ?? characters.count
  }

  /// The position at the same column in the line above or below; nil if there is none.
  public func position(lines delta: Int, column: Int) -> Int? {
    if delta < 0 {
      let start = startOfLine(at: cursor)
      guard start > 0 else { return nil }
      let target = startOfLine(at: start - 1)
      return min(target + column, start - 1)
    }
    let end = endOfLine(at: cursor)
    guard end < characters.count else { return nil }
    return min(end + 1 + column, endOfLine(at: end + 1))
  }

  /// The column of the cursor, in characters.
  public var column: Int { cursor - startOfLine(at: cursor) }

  // MARK: Words

  static func isWord(_ character: Character) -> Bool {
    character == "_" || character.isLetter || character.isNumber
  }

  /// The end of the next word, as in Emacs' forward-word.
  public func endOfWord(from position: Int) -> Int {
    var index = position
    while index < characters.count, !Self.isWord(characters[index]) { index += 1 }
    while index < characters.count, Self.isWord(characters[index]) { index += 1 }
    return index
  }

  /// The start of the word before a position, as in Emacs' backward-word.
  public func startOfWord(before position: Int) -> Int {
    var index = position
    while index > 0, !Self.isWord(characters[index - 1]) { index -= 1 }
    while index > 0, Self.isWord(characters[index - 1]) { index -= 1 }
    return index
  }

  /// The start of the text without white space before a position, as in a shell's Ctrl-W.
  public func startOfBlankWord(before position: Int) -> Int {
    var index = position
    while index > 0, characters[index - 1].isWhitespace { index -= 1 }
    while index > 0, !characters[index - 1].isWhitespace { index -= 1 }
    return index
  }
}
