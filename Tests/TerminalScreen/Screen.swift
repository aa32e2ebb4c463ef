import CVTerm

/// What a terminal shows: the emulator of libvterm.
public final class Screen {
  private let terminal: OpaquePointer
  private let screen: OpaquePointer
  private var rows: Int32
  private var columns: Int32

  /// An empty screen of this size.
  public init(rows: Int, columns: Int) {
    self.rows = Int32(rows)
    self.columns = Int32(columns)
    terminal = vterm_new(self.rows, self.columns)
    vterm_set_utf8(terminal, 1)
    screen = vterm_obtain_screen(terminal)
    vterm_screen_enable_altscreen(screen, 1)
    vterm_screen_reset(screen, 1)
  }

  deinit { vterm_free(terminal) }

  /// Shows what a program has written.
  public func write(_ bytes: some Collection<UInt8>) {
    Array(bytes).withUnsafeBytes {
      _ = vterm_input_write(terminal, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
    }
  }

  /// Changes the size, as a user does who drags the window.
  public func resize(rows: Int, columns: Int) {
    (self.rows, self.columns) = (Int32(rows), Int32(columns))
    vterm_set_size(terminal, self.rows, self.columns)
  }

  /// Where the cursor is, from 0.
  public var cursor: (row: Int, column: Int) {
    var position = VTermPos()
    vterm_state_get_cursorpos(vterm_obtain_state(terminal), &position)
    return (Int(position.row), Int(position.col))
  }

  /// The rows without the white space at their ends, and without empty ones at the end.
  public var lines: [String] {
    var lines = (0..<rows).map(line)
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// The row above the cursor, and its own row up to it.
  public var textBeforeCursor: String {
    let (row, column) = cursor
    let above = row > 0 ? line(Int32(row - 1)) : ""
    return above + line(Int32(row), columns: Int32(column))
  }

  var columnCount: Int { Int(columns) }

  /// The cells of the rows that `lines` tells of.
  var shownRows: [[VTermScreenCell]] {
    (0..<lines.count).map { row in
      (0..<columns).map { column in
        var cell = VTermScreenCell()
        vterm_screen_get_cell(screen, VTermPos(row: Int32(row), col: column), &cell)
        return cell
      }
    }
  }

  /// All rows, with line breaks between them.
  public var text: String { lines.joined(separator: "\n") }

  private func line(_ row: Int32) -> String {
    var text = line(row, columns: columns)
    while text.last == " " { text.removeLast() }
    return text
  }

  private func line(_ row: Int32, columns: Int32) -> String {
    var text = ""
    var column: Int32 = 0
    while column < columns {
      var cell = VTermScreenCell()
      vterm_screen_get_cell(screen, VTermPos(row: row, col: column), &cell)
      withUnsafeBytes(of: cell.chars) { bytes in
        for scalar in bytes.bindMemory(to: UInt32.self).prefix(while: { $0 != 0 }) {
          text.unicodeScalars.append(Unicode.Scalar(scalar) ?? "?")
        }
      }
      if cell.chars.0 == 0 { text += " " }
      column += max(1, Int32(cell.width))
    }
    return text
  }

  /// The number of the colour that a text has where it first stands, from 0 to 15; nil for the
  /// terminal's own, or if the text is not there.
  public func color(of text: String) -> Int? {
    guard let cell = firstCell(of: text) else { return nil }
    var color = cell.fg
    guard vterm_color_kind(&color) == .indexed else { return nil }
    return Int(color.indexed.idx)
  }

  /// Whether a text stands on the screen with its colours exchanged.
  public func isSelected(_ text: String) -> Bool {
    firstCell(of: text)?.attrs.reverse == 1
  }

  private func firstCell(of text: String) -> VTermScreenCell? {
    for row in 0..<rows {
      let line = line(row)
      guard let range = line.firstRange(of: text) else { continue }
      let before = line[..<range.lowerBound]
      var column: Int32 = 0
      var passed = 0
      while passed < before.count {
        var cell = VTermScreenCell()
        vterm_screen_get_cell(screen, VTermPos(row: row, col: column), &cell)
        column += max(1, Int32(cell.width))
        passed += 1
      }
      var cell = VTermScreenCell()
      vterm_screen_get_cell(screen, VTermPos(row: row, col: column), &cell)
      return cell
    }
    return nil
  }
}

private enum ColorKind { case rgb, indexed, standard }

private func vterm_color_kind(_ color: inout VTermColor) -> ColorKind {
  let type = Int32(color.type)
  if type & Int32(VTERM_COLOR_DEFAULT_FG.rawValue | VTERM_COLOR_DEFAULT_BG.rawValue) != 0 {
    return .standard
  }
  return type & Int32(VTERM_COLOR_TYPE_MASK.rawValue) == Int32(VTERM_COLOR_INDEXED.rawValue)
    ? .indexed : .rgb
}
