import CVTerm

import Platform

/// What a terminal shows: the emulator of libvterm.
final class Screen {
  private let terminal: OpaquePointer
  private let screen: OpaquePointer
  private var rows: Int32
  private var columns: Int32

  init(rows: Int, columns: Int) {
    self.rows = Int32(rows)
    self.columns = Int32(columns)
    terminal = vterm_new(self.rows, self.columns)
    vterm_set_utf8(terminal, 1)
    screen = vterm_obtain_screen(terminal)
    vterm_screen_reset(screen, 1)
  }

  deinit { vterm_free(terminal) }

  func write(_ bytes: some Collection<UInt8>) {
    Array(bytes).withUnsafeBytes {
      _ = vterm_input_write(terminal, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
    }
  }

  func resize(rows: Int, columns: Int) {
    (self.rows, self.columns) = (Int32(rows), Int32(columns))
    vterm_set_size(terminal, self.rows, self.columns)
  }

  /// Where the cursor is, from 0.
  var cursor: (row: Int, column: Int) {
    var position = VTermPos()
    vterm_state_get_cursorpos(vterm_obtain_state(terminal), &position)
    return (Int(position.row), Int(position.col))
  }

  /// The rows without the white space at their ends, and without empty ones at the end.
  var lines: [String] {
    var lines = (0..<rows).map(line)
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  var text: String { lines.joined(separator: "\n") }

  private func line(_ row: Int32) -> String {
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
    while text.last == " " { text.removeLast() }
    return text
  }
}
