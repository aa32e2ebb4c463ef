import CSQLite

/// The checksum of a row's fields, as the SQL function `row_checksum(…)`.
///
/// It detects damage, not forgery. It detects every change of bits within eight bytes of one field,
/// since every step maps different states to different ones; it misses any other change with a
/// probability of 1 in 2⁶⁴.
enum RowChecksum {
  /// Registers the function with a connection.
  static func install(on database: OpaquePointer) -> Int32 {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    return sqlite3_create_function_v2(
      database, "row_checksum", -1, flags, nil,
      { context, count, values in
        var sum = Sum()
        for index in 0..<Int(count) {
          guard let value = values?[index], sum.add(value) else {
            return sqlite3_result_error_nomem(context)
          }
        }
        sqlite3_result_int64(context, Int64(bitPattern: sum.state))
      }, nil, nil, nil)
  }

  /// A sum of words, in their order.
  struct Sum {
    private(set) var state: UInt64 = 0x7261_636C_6574_7465

    mutating func add(_ word: UInt64) {
      state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
      state ^= state >> 32
    }

    /// - Returns: false if there was no memory for it.
    mutating func add(_ value: OpaquePointer) -> Bool {
      let type = sqlite3_value_type(value)
      add(UInt64(type))
      switch type {
      case SQLITE_INTEGER:
        add(UInt64(bitPattern: sqlite3_value_int64(value)))
      case SQLITE_FLOAT:
        let number = sqlite3_value_double(value)
        // The sign of zero is not stored.
        add(number == 0 ? 0 : number.bitPattern)
      case SQLITE_TEXT, SQLITE_BLOB:
        let start =
          type == SQLITE_TEXT
          ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
        let count = Int(sqlite3_value_bytes(value))
        if start == nil, count > 0 { return false }
        add(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
      default: break
      }
      return true
    }

    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
      add(UInt64(bytes.count))
      var place = 0
      while place + 8 <= bytes.count {
        add(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian)
        place += 8
      }
      guard place < bytes.count else { return }
      add(bytes[place...].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
  }
}

/// The checksums of whole rows, as SQL expressions. A statement that changes fields substitutes
/// their new values for their names.
enum RowChecksums {
  static let ofBatch = "row_checksum(id, plan, folder, arguments, jobs, started, ended, status)"
  static let ofExecution = ofExecution(changing: [:])

  /// The output is represented by its own checksum.
  private static let fields = [
    "id", "batch", "key", "kind", "command", "input", "name", "plan", "line", "requester", "state",
    "claimed", "started", "duration", "attempts", "code", "error_kind", "error", "output_checksum",
  ]

  static func ofExecution(changing values: [String: String]) -> String {
    "row_checksum(\(fields.map { values[$0] ?? $0 }.joined(separator: ", ")))"
  }

  /// The assignments of an UPDATE, including the new checksum.
  static func changes(_ values: KeyValuePairs<String, String>) -> String {
    let all = Dictionary(values.map { ($0.key, $0.value) }) { $1 }
    return values.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
      + ", checksum = \(ofExecution(changing: all))"
  }
}
