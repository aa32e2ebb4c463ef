import CSQLite

/// A value that SQLite can store.
protocol Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int64: Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, self)
  }
}

extension Int: Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_int64(statement, index, Int64(self))
  }
}

extension Double: Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    sqlite3_bind_double(statement, index, self)
  }
}

extension String: Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    var text = self
    return text.withUTF8 { bytes in
      // A null address would mean NULL.
      guard let start = bytes.baseAddress else { return csqlite_bind_text(statement, index, "", 0) }
      return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        csqlite_bind_text(statement, index, $0, Int32(bytes.count))
      }
    }
  }
}

extension Array: Bindable where Element == UInt8 {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, !bytes.isEmpty else {
        return sqlite3_bind_zeroblob(statement, index, 0)
      }
      return csqlite_bind_blob(statement, index, start, Int32(bytes.count))
    }
  }
}

extension Optional: Bindable where Wrapped: Bindable {
  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    self?.bind(to: statement, at: index) ?? sqlite3_bind_null(statement, index)
  }
}

/// A prepared statement. Confined to its database's thread.
final class Statement {
  private let handle: OpaquePointer
  private let database: Database

  init(_ sql: String, in database: Database) throws(JournalError) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(
      database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else { throw database.error(code) }
    self.handle = handle
    self.database = database
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Executes the statement with values for its parameters, in order.
  func run<each Value: Bindable>(_ values: repeat each Value) throws(JournalError) {
    defer { sqlite3_reset(handle) }
    try bind(repeat each values)
    while try step() {}
  }

  /// The result of `body` for the first row; nil if there is none.
  func first<each Value: Bindable, Result>(
    _ values: repeat each Value, body: (Row) throws(JournalError) -> Result
  ) throws(JournalError) -> Result? {
    defer { sqlite3_reset(handle) }
    try bind(repeat each values)
    return try step() ? try body(Row(handle: handle)) : nil
  }

  /// Passes each row to `body` until it returns false.
  func forEach<each Value: Bindable>(
    _ values: repeat each Value, body: (Row) throws(JournalError) -> Bool
  ) throws(JournalError) {
    defer { sqlite3_reset(handle) }
    try bind(repeat each values)
    while try step() {
      if try !body(Row(handle: handle)) { return }
    }
  }

  private func bind<each Value: Bindable>(_ values: repeat each Value) throws(JournalError) {
    var index: Int32 = 0
    var code = SQLITE_OK
    for value in repeat each values {
      index += 1
      let result = value.bind(to: handle, at: index)
      if result != SQLITE_OK { code = result }
    }
    if code != SQLITE_OK { throw database.error(code) }
  }

  private func step() throws(JournalError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw database.error(code)
    }
  }
}

/// The columns of a row, valid until the statement's next step.
struct Row {
  fileprivate let handle: OpaquePointer

  /// The SQLite type of a field's value.
  func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }
  func isNull(_ column: Int32) -> Bool { type(column) == SQLITE_NULL }
  func isBlob(_ column: Int32) -> Bool { type(column) == SQLITE_BLOB }
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  func number(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { Array($0) } }

  /// Calls `body` with a field's bytes, without a copy of them.
  func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let start = sqlite3_column_blob(handle, column)
    let count = start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
    return body(UnsafeRawBufferPointer(start: start, count: count))
  }
}
