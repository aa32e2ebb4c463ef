import CSQLite

/// The fields of one record, each checked when it is read: the file may be damaged or forged, and
/// no content may crash the program or be mistaken for something else.
struct RecordFields {
  let row: Row
  let record: JournalRecord
  /// The journal, for messages.
  let path: String

  /// The range of times and durations that a clock could have measured, in seconds.
  private static let times = 0.0...1e11

  /// - Parameter column: the column with the result of comparing the checksum.
  init(
    _ row: Row, of record: JournalRecord, in database: Database, isIntact column: Int32
  ) throws(JournalError) {
    self.row = row
    self.record = record
    path = database.path
    if row.integer(column) != 1 { throw damaged("its checksum does not match") }
  }

  func integer(_ column: Int32, _ name: String) throws(JournalError) -> Int {
    guard row.type(column) == SQLITE_INTEGER else { throw wrong(column, name, "number") }
    return Int(row.integer(column))
  }

  func count(_ column: Int32, _ name: String) throws(JournalError) -> Int {
    let value = try integer(column, name)
    guard value >= 0 else { throw damaged("its \(name) is \(value)") }
    return value
  }

  /// A system id: of a process, a group or a session.
  func id(
    _ column: Int32, _ name: String, atLeast least: Int32
  ) throws(JournalError) -> Int32 {
    let value = try integer(column, name)
    guard let id = Int32(exactly: value), id >= least else {
      throw damaged("its \(name) is \(value)")
    }
    return id
  }

  func time(_ column: Int32, _ name: String) throws(JournalError) -> Double {
    guard row.type(column) == SQLITE_FLOAT else { throw wrong(column, name, "number") }
    let value = row.number(column)
    guard Self.times.contains(value) else { throw damaged("its \(name) is \(value)") }
    return value
  }

  func text(_ column: Int32, _ name: String) throws(JournalError) -> String {
    guard row.type(column) == SQLITE_TEXT else { throw wrong(column, name, "text") }
    return row.text(column)
  }

  /// A text that represents a case of an enumeration.
  func choice<Choice: RawRepresentable<String>>(
    _ column: Int32, _ name: String, _ type: Choice.Type = Choice.self
  ) throws(JournalError) -> Choice {
    let text = try text(column, name)
    guard let choice = Choice(rawValue: text) else {
      throw damaged("its \(name) is '\(text.prefix(40))'")
    }
    return choice
  }

  /// A field that may be missing.
  func optional<Value>(
    _ column: Int32, _ name: String,
    _ read: (Int32, String) throws(JournalError) -> Value
  ) throws(JournalError) -> Value? {
    row.isNull(column) ? nil : try read(column, name)
  }

  func damaged(_ detail: String) -> JournalError {
    .damagedRecord(path, record, detail: detail)
  }

  private func wrong(_ column: Int32, _ name: String, _ expected: String) -> JournalError {
    damaged(row.isNull(column) ? "its \(name) is missing" : "its \(name) is not a \(expected)")
  }
}
