extension JSONValue {
  /// Bytes that are equal for equal documents only: strings count byte by byte, the order of fields
  /// does not count.
  var exactBytes: [UInt8] {
    var writer = ByteWriter()
    write(to: &writer)
    return writer.bytes
  }

  private func write(to writer: inout ByteWriter) {
    switch self {
    case .null: writer.write(0)
    case .bool(let bool): writer.write(bool ? 2 : 1)
    case .integer(let integer):
      writer.write(3)
      writer.write(UInt64(bitPattern: integer))
    case .number(let number):
      writer.write(4)
      writer.write(number.bitPattern)
    case .string(let string):
      writer.write(5)
      writer.write(string)
    case .list(let elements):
      writer.write(6)
      writer.write(list: elements) { $1.write(to: &$0) }
    case .object(let fields):
      writer.write(7)
      writer.write(list: fields.sorted { $0.0.isBefore($1.0) }) { writer, field in
        writer.write(field.0)
        field.1.write(to: &writer)
      }
    case .raw(let text):
      writer.write(8)
      writer.write(text)
    }
  }

  /// True if all strings are UTF-8, so that `text` says all.
  var isText: Bool {
    switch self {
    case .string(let string): !string.keepsBytes
    case .list(let elements): elements.allSatisfy(\.isText)
    case .object(let fields): fields.allSatisfy { !$0.0.keepsBytes && $0.1.isText }
    case .null, .bool, .integer, .number, .raw: true
    }
  }
}
