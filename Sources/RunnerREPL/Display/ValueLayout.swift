import LineEditor
import RunnerCore
import struct RunnerCore.Style

/// Lays the parts of a value out: on one line if it fits, else a line for each field, the items of a
/// list in aligned columns, and a list of records as a table.
struct ValueLayout {
  let style: Style
  let width: Int

  func text(of shape: ValueShape) -> String {
    let (text, columns) = inline(shape)
    if columns > width, let table = RecordTable(shape) {
      if let rows = table.rows(in: width, style) { return rows.joined(separator: "\n") }
    }
    return columns > width ? layOut(shape, indent: 0, room: width) : text
  }

  /// The text on one line, however long.
  func line(of shape: ValueShape) -> String { inline(shape).text }

  private func inline(_ shape: ValueShape) -> (text: String, columns: Int) {
    switch shape {
    case .plain(let text, let columns, _): return (text, columns)
    case .table(let prefix, let parts, let rest, let suffix):
      var texts: [String] = []
      var length = columns(of: prefix) + columns(of: suffix) + 2 + (rest?.count ?? 0)
      for (key, part) in parts {
        let (text, width) = inline(part)
        texts.append(key.map { "\($0) = \(text)" } ?? text)
        length += width + (key.map { columns(of: $0) + 3 } ?? 0) + 2
      }
      if let rest { texts.append(style.faint(rest)) }
      return (prefix + "{" + texts.joined(separator: ", ") + "}" + style.faint(suffix), length)
    }
  }

  private func layOut(_ shape: ValueShape, indent: Int, room: Int) -> String {
    let (text, columns) = inline(shape)
    guard case .table(let prefix, let parts, let rest, let suffix) = shape, columns > room else {
      return text
    }
    let margin = String(repeating: " ", count: indent + 2)
    let list = parts.prefix { $0.key == nil }.map(\.1)
    var lines: [String] = []
    if let rows = rows(of: list, room: width - indent - 3) {
      lines = rows.map { margin + $0 }
    } else {
      lines = list.map {
        margin + layOut($0, indent: indent + 2, room: width - indent - 3)
      }
    }
    for (key, part) in parts.dropFirst(list.count) {
      let lead = "\(key ?? "") = "
      let room = width - indent - 3 - LineEditor.columns(of: lead)
      lines.append(margin + lead + layOut(part, indent: indent + 2, room: room))
    }
    if let rest { lines.append(margin + style.faint(rest)) }
    return prefix + "{\n" + lines.joined(separator: ",\n") + "\n"
      + String(repeating: " ", count: indent) + "}" + style.faint(suffix)
  }

  // MARK: Columns

  /// Fewer items than this have a line each.
  private static let shortestList = 7

  /// The items of a list in as many aligned columns as fit: numbers to the right, others to the
  /// left. Nil if they are few, or not all short.
  private func rows(of list: [ValueShape], room: Int) -> [String]? {
    guard list.count >= Self.shortestList else { return nil }
    var items: [(text: String, columns: Int, isNumber: Bool)] = []
    for shape in list {
      guard case .plain(let text, let columns, let isNumber) = shape, columns <= room / 2 - 2,
        !text.contains("\n")
      else { return nil }
      items.append((text, columns, isNumber))
    }
    let narrowest = items.map(\.columns).min() ?? 1
    var count = min(items.count, max(1, (room + 2) / (narrowest + 2)))
    var widths = Self.widths(items.map(\.columns), in: count)
    while count > 1, widths.reduce(0, +) + 2 * (count - 1) > room {
      count -= 1
      widths = Self.widths(items.map(\.columns), in: count)
    }
    guard count > 1 else { return nil }
    return stride(from: 0, to: items.count, by: count).map { start in
      let row = items[start..<min(start + count, items.count)]
      return row.enumerated().map { column, item in
        let space = String(repeating: " ", count: widths[column] - item.columns)
        let isLast = column == row.count - 1
        return (item.isNumber ? space + item.text : item.text) + (isLast ? "" : ", ")
          + (item.isNumber || isLast ? "" : space)
      }.joined()
    }
  }

  private static func widths(_ columns: [Int], in count: Int) -> [Int] {
    var widths = [Int](repeating: 0, count: count)
    for (index, width) in columns.enumerated() {
      widths[index % count] = max(widths[index % count], width)
    }
    return widths
  }
}
