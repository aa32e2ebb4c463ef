import CJansson
import Scripting

/// What tests read from a document.
extension JSONValue {
  /// Parses a document; nil if it is none.
  init?(parsing bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    let parsed = bytes.withUnsafeBytes {
      json_loadb(
        $0.baseAddress, $0.count, Int(JSON_DECODE_ANY | JSON_ALLOW_NUL), nil)
    }
    guard let parsed else { return nil }
    defer { json_decref(parsed) }
    self.init(parsed)
  }

  private init(_ parsed: UnsafeMutablePointer<json_t>) {
    switch parsed.pointee.type {
    case JSON_TRUE: self = .bool(true)
    case JSON_FALSE: self = .bool(false)
    case JSON_INTEGER: self = .integer(json_integer_value(parsed))
    case JSON_REAL: self = .number(json_real_value(parsed))
    case JSON_STRING: self = .string(Self.text(parsed))
    case JSON_ARRAY:
      self = .list(
        (0..<json_array_size(parsed)).compactMap { json_array_get(parsed, $0).map(Self.init) })
    case JSON_OBJECT:
      var fields: [(String, JSONValue)] = []
      var place = json_object_iter(parsed)
      while let field = place {
        if let key = json_object_iter_key(field), let value = json_object_iter_value(field) {
          fields.append((String(cString: key), JSONValue(value)))
        }
        place = json_object_iter_next(parsed, field)
      }
      self = .object(fields)
    default: self = .null
    }
  }

  private static func text(_ parsed: UnsafeMutablePointer<json_t>) -> String {
    guard let start = json_string_value(parsed) else { return "" }
    let bytes = UnsafeRawBufferPointer(start: start, count: json_string_length(parsed))
    return String(decoding: bytes, as: UTF8.self)
  }

  subscript(key: String) -> JSONValue {
    guard case .object(let fields) = self else { return .null }
    return fields.first { $0.0 == key }?.1 ?? .null
  }

  var elements: [JSONValue] { if case .list(let elements) = self { elements } else { [] } }
  var string: String? { if case .string(let string) = self { string } else { nil } }
  var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
  var isNull: Bool { if case .null = self { true } else { false } }

  var double: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }

  var int: Int? {
    switch self {
    case .integer(let integer): Int(integer)
    case .number(let number): Int(exactly: number)
    default: nil
    }
  }
}
