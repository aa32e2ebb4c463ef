/// The rows that the editor shows, and the position of the cursor.
struct Frame: Equatable {
  struct Cell: Equatable {
    var character: Character
    var style: Style
    var columns: Int
  }

  var rows: [[Cell]] = []
  var cursor = (row: 0, column: 0)

  static func == (left: Frame, right: Frame) -> Bool {
    left.rows == right.rows && left.cursor == right.cursor
  }

  /// The rows around the cursor, at most `height` of them.
  func clipped(height: Int) -> Frame {
    guard rows.count > height else { return self }
    let first = min(max(0, cursor.row - height / 2), rows.count - height)
    return Frame(
      rows: Array(rows[first..<first + height]), cursor: (cursor.row - first, cursor.column))
  }
}

/// Lays text out in terminal rows: wraps lines at the width, never inside a wide character, and
/// shows control characters as `^X`.
struct FrameBuilder {
  private(set) var frame = Frame(rows: [[]])
  private var column = 0
  private let width: Int

  init(width: Int) { self.width = max(width, 2) }

  mutating func add(_ text: some StringProtocol, _ style: Style) {
    for character in text { add(character, style) }
  }

  mutating func add(_ character: Character, _ style: Style) {
    switch character {
    case "\n", "\r\n": newRow()
    case "\t":
      repeat { put(" ", style, 1) } while column % 8 != 0 && column < width
    default:
      let value = character.unicodeScalars.first?.value ?? 32
      if value < 32 || value == 127 {
        put("^", style, 1)
        put(Character(Unicode.Scalar(UInt8(value ^ 64))), style, 1)
      } else if (128..<160).contains(value) {
        put("\u{FFFD}", style, 1)
      } else {
        put(character, style, LineEditor.columns(of: character))
      }
    }
  }

  mutating func newRow() {
    frame.rows.append([])
    column = 0
  }

  /// Puts the cursor where the next character goes.
  mutating func markCursor() {
    if column >= width { newRow() }
    frame.cursor = (frame.rows.count - 1, column)
  }

  private mutating func put(_ character: Character, _ style: Style, _ columns: Int) {
    // Reserves the columns for a terminal that shows the parts of the character separately.
    let room = isUncertain(character) ? separateColumns(of: character) : columns
    if column + room > width, column > 0 { newRow() }
    frame.rows[frame.rows.count - 1].append(
      Frame.Cell(character: character, style: style, columns: columns))
    column += columns
  }
}
