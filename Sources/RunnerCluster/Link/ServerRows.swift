import CPostgreSQL
import Digests

/// The rows that a statement returned.
package final class ServerRows {
  private let result: OpaquePointer
  /// The number of rows.
  package let count: Int

  init(_ result: OpaquePointer) {
    self.result = result
    count = Int(cpostgresql_rows(result))
  }

  deinit { cpostgresql_clear(result) }

  /// A value as text; nil for NULL.
  package func text(_ row: Int, _ column: Int) -> String? {
    bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A value as an integer; 0 for NULL.
  package func integer(_ row: Int, _ column: Int) -> Int {
    text(row, column).flatMap { Int($0) } ?? 0
  }

  /// A value as a number; nil for NULL.
  package func number(_ row: Int, _ column: Int) -> Double? {
    text(row, column).flatMap { Double($0) }
  }

  /// A value as a truth value; false for NULL.
  package func isTrue(_ row: Int, _ column: Int) -> Bool { text(row, column) == "t" }

  /// The bytes of a `bytea`; nil for NULL.
  package func binary(_ row: Int, _ column: Int) -> [UInt8]? {
    // The form is \x followed by digits.
    bytes(row, column).flatMap {
      [UInt8](hexadecimal: UnsafeRawBufferPointer(rebasing: $0.dropFirst(2)))
    }
  }

  /// The integers of an array; empty for NULL.
  package func integers(_ row: Int, _ column: Int) -> [Int] {
    (text(row, column) ?? "").split { $0 == "{" || $0 == "}" || $0 == "," }.compactMap { Int($0) }
  }

  /// The text of a value as bytes, which live as long as these rows.
  private func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    var length: Int32 = 0
    guard let value = cpostgresql_value(result, Int32(row), Int32(column), &length) else {
      return nil
    }
    return UnsafeRawBufferPointer(start: value, count: Int(length))
  }
}
