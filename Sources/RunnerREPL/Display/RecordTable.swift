import LineEditor
import RunnerCore
import struct RunnerCore.Style

/// A list of records as rows with a column for each key.
///
/// A record is a table without a metatable and without a list, whose values have one line each.
struct RecordTable {
  private struct Cell {
    let text: String
    let columns: Int
    let isNumber: Bool
  }

  private let names: [String]
  private let records: [[String: Cell]]
  /// The note about the records that are left out.
  private let rest: String?

  /// The most columns that a person reads as one row.
  private static let mostNames = 20

  /// Takes the parts of a value; nil if it is no list of records, or if most of its cells would be
  /// empty.
  init?(_ shape: ValueShape) {
    guard case .table("", let parts, let rest, "") = shape, parts.count > 1 else { return nil }
    var records: [[String: Cell]] = []
    var names: Set<String> = []
    var filled = 0
    for (key, part) in parts {
      guard key == nil, let record = Self.record(part) else { return nil }
      names.formUnion(record.keys)
      filled += record.count
      records.append(record)
      if names.count > Self.mostNames { return nil }
    }
    guard 2 * filled >= names.count * records.count else { return nil }
    self.names = names.sorted()
    self.records = records
    self.rest = rest
  }

  private static func record(_ shape: ValueShape) -> [String: Cell]? {
    guard case .table("", let fields, nil, "") = shape, !fields.isEmpty else { return nil }
    var cells: [String: Cell] = [:]
    for (key, value) in fields {
      guard let key, case .plain(let text, let columns, let isNumber) = value,
        !text.contains("\n")
      else { return nil }
      cells[key] = Cell(text: text, columns: columns, isNumber: isNumber)
    }
    return cells
  }

  /// The lines of the table: the keys, and each record behind its index. Nil if they are wider than
  /// `width`.
  func rows(in width: Int, _ style: Style) -> [String]? {
    let margin = "\(records.count)".count
    let widths = names.map { name in
      records.reduce(LineEditor.columns(of: name)) { max($0, $1[name]?.columns ?? 0) }
    }
    guard margin + 2 * widths.count + widths.reduce(0, +) <= width else { return nil }
    let header = names.enumerated().map { column, name in
      let cells = records.compactMap { $0[name] }
      return Cell(
        text: name, columns: LineEditor.columns(of: name), isNumber: cells.allSatisfy(\.isNumber))
    }
    let blank = String(repeating: " ", count: margin)
    var lines = [style.faint(blank + row(header, widths))]
    for (index, record) in records.enumerated() {
      let number = "\(index + 1)"
      let cells = names.map { record[$0] ?? Cell(text: "", columns: 0, isNumber: false) }
      lines.append(
        style.faint("\(blank.dropFirst(number.count))\(number)") + row(cells, widths))
    }
    if let rest { lines.append(style.faint(rest)) }
    return lines
  }

  /// Numbers are to the right, others to the left. No row ends in spaces.
  private func row(_ cells: [Cell], _ widths: [Int]) -> String {
    var text = ""
    var space = 0
    for (cell, width) in zip(cells, widths) {
      let gap = width - cell.columns
      space += 2 + (cell.isNumber ? gap : 0)
      if !cell.text.isEmpty {
        text += String(repeating: " ", count: space) + cell.text
        space = 0
      }
      space += cell.isNumber ? 0 : gap
    }
    return text
  }
}
