/// The lines of a text that grows, and the part of it that is shown. Lines wrap at the width.
struct TextView {
  /// The greatest number of lines that are kept.
  private static let capacity = 10_000

  private var lines: [String] = []
  /// True if the last line goes on with what is appended.
  private var isOpen = false
  /// The line that is the first one shown, and which of its rows; nil to follow the end.
  private var top: (line: Int, row: Int)?

  var isFollowing: Bool { top == nil }

  mutating func append(_ text: String) {
    guard !text.isEmpty else { return }
    var parts = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String(String.UnicodeScalarView($0)) }
    let endsLine = parts.last?.isEmpty == true
    if endsLine { parts.removeLast() }
    if isOpen, let first = parts.first, !lines.isEmpty {
      lines[lines.count - 1] += first
      parts.removeFirst()
    }
    lines += parts
    isOpen = !endsLine
    let surplus = lines.count - Self.capacity
    guard surplus > 0 else { return }
    lines.removeFirst(surplus)
    if let top { self.top = top.line < surplus ? (0, 0) : (top.line - surplus, top.row) }
  }

  mutating func follow() { top = nil }

  /// Moves by rows. At the end, the text follows again.
  mutating func scroll(by count: Int, rows: Int, width: Int) {
    let last = end(rows: rows, width: width)
    var (line, row) = top ?? last
    var left = count
    while left < 0, line > 0 || row > 0 {
      if row == 0 {
        line -= 1
        row = pieces(of: line, width).count
      }
      // A whole line at once, if that is not too far.
      let step = min(row, -left)
      row -= step
      left += step
    }
    while left > 0, line < lines.count {
      let step = min(pieces(of: line, width).count - row, left)
      row += step
      left -= step
      if row >= pieces(of: line, width).count {
        line += 1
        row = 0
      }
      if (line, row) >= last { break }
    }
    top = (line, row) >= last ? nil : (line, row)
  }

  /// The first row to show of which the last one is at the bottom.
  private func end(rows: Int, width: Int) -> (line: Int, row: Int) {
    var left = rows
    var line = lines.count
    while line > 0 {
      line -= 1
      let count = pieces(of: line, width).count
      if count >= left { return (line, count - left) }
      left -= count
    }
    return (0, 0)
  }

  /// Returns the rows to show, at most `rows` of them.
  func visible(rows: Int, width: Int) -> [String] {
    var (line, row) = top ?? end(rows: rows, width: width)
    var shown: [String] = []
    while line < lines.count, shown.count < rows {
      shown += pieces(of: line, width).dropFirst(row).prefix(rows - shown.count)
      line += 1
      row = 0
    }
    return shown
  }

  /// The rows of a line.
  private func pieces(of line: Int, _ width: Int) -> [String] {
    let text = lines[line].withoutEscapes
    // Most lines.
    if text.utf8.count < width, text.utf8.allSatisfy({ (32..<127).contains($0) }) { return [text] }
    var builder = FrameBuilder(width: width)
    builder.add(text, .plain)
    return builder.frame.rows.map { String($0.map(\.character)) }
  }
}

extension String {
  /// The text without the sequences that set colours or move a cursor, and without returns to the
  /// beginning of the line.
  fileprivate var withoutEscapes: String {
    guard utf8.contains(where: { $0 == 0x1B || $0 == 13 }) else { return self }
    var text = String.UnicodeScalarView()
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\r" { continue }
      guard scalar == "\u{1B}" else {
        text.append(scalar)
        continue
      }
      guard rest.first == "[" else { continue }
      rest = rest.dropFirst().drop { !(0x40...0x7E).contains($0.value) }.dropFirst()
    }
    return String(text)
  }
}
