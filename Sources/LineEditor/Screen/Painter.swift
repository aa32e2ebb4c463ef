/// Writes frames to a terminal as differences from the previous frame.
///
/// The first row of a frame is where the cursor was when nothing was painted; rows below it are
/// created by line feeds, so that the screen scrolls.
struct Painter {
  private var shown = Frame()
  private var output = ""
  private var row = 0
  private var column = 0
  private var style = Style.plain
  private var width = 80
  private let theme: Theme

  init(theme: Theme) { self.theme = theme }

  /// The number of rows on the screen.
  var rowCount: Int { shown.rows.count }

  /// Returns the bytes that change the screen to a frame.
  mutating func paint(_ frame: Frame, width: Int) -> String {
    guard frame != shown else { return "" }
    self.width = width
    // A row never wraps by itself, however many columns the terminal uses for its characters.
    output = "\u{1B}[?7l"
    for (index, cells) in frame.rows.enumerated() {
      let old = index < shown.rows.count ? shown.rows[index] : nil
      if let old, old == cells { continue }
      paint(cells, over: old ?? [], row: index)
    }
    if frame.rows.count < shown.rows.count {
      move(toRow: frame.rows.count, 0)
      setStyle(.plain)
      output += "\u{1B}[J"
    }
    setStyle(.plain)
    move(toRow: frame.cursor.row, frame.cursor.column)
    shown = frame
    defer { output = "" }
    return output + "\u{1B}[?7h"
  }

  /// Returns the bytes that erase the frame and put the cursor where its first row began.
  mutating func erase() -> String {
    output = ""
    guard !shown.rows.isEmpty else { return "" }
    move(toRow: 0, 0)
    output += "\u{1B}[J"
    defer { forget() }
    return output
  }

  /// Returns the bytes that leave the frame on the screen and move to the row below it.
  mutating func leave() -> String {
    output = ""
    move(toRow: max(0, shown.rows.count - 1), 0)
    output += "\r\n"
    defer { forget() }
    return output
  }

  /// Forgets the frame, which is no longer on the screen.
  mutating func forget() {
    shown = Frame()
    (row, column, output) = (0, 0, "")
  }

  /// Handles a changed terminal width: rows that no longer fit may have been wrapped.
  mutating func resize(width: Int) -> String {
    guard !shown.rows.isEmpty else { return "" }
    var up = 0
    for cells in shown.rows[..<min(row, shown.rows.count)] {
      up += max(0, cells.reduce(0) { $0 + $1.columns } - 1) / max(width, 1) + 1
    }
    up += column / max(width, 1)
    forget()
    return "\r" + (up > 0 ? "\u{1B}[\(up)A" : "") + "\u{1B}[J"
  }

  private mutating func paint(_ cells: [Frame.Cell], over old: [Frame.Cell], row: Int) {
    var index = 0
    var start = 0
    while index < cells.count, index < old.count, cells[index] == old[index] {
      start += cells[index].columns
      index += 1
    }
    // A row that does not exist yet is created even if it is empty.
    move(toRow: row, start)
    for cell in cells[index...] {
      setStyle(cell.style)
      output.append(cell.character)
      column += cell.columns
      // If the terminal uses more columns for it, the excess is erased.
      if isUncertain(cell.character), column < width { output += "\u{1B}[\(column + 1)G\u{1B}[K" }
    }
    if old[min(index, old.count)...].reduce(0, { $0 + $1.columns })
      > cells[index...].reduce(0, { $0 + $1.columns })
    {
      setStyle(.plain)
      output += "\u{1B}[K"
    }
  }

  private mutating func setStyle(_ next: Style) {
    guard next != style else { return }
    output += theme.sequence(next)
    style = next
  }

  private mutating func move(toRow target: Int, _ targetColumn: Int) {
    if target < row {
      output += "\r\u{1B}[\(row - target)A"
      column = 0
    } else if target > row {
      setStyle(.plain)
      // Line feeds also create missing rows.
      output += "\r" + String(repeating: "\n", count: target - row)
      column = 0
    }
    row = target
    guard column != targetColumn else { return }
    if targetColumn == 0 { output += "\r" } else { output += "\u{1B}[\(targetColumn + 1)G" }
    column = targetColumn
  }
}
