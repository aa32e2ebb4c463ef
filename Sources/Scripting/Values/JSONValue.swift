import CJansson

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A JSON document that the program itself makes; its fields keep their order.
public enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case list([JSONValue])
  case object([(String, JSONValue)])
  /// A document as text.
  case raw(String)

  /// The document on one line.
  public var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let bool): text += bool ? "true" : "false"
    case .integer(let integer): text += String(integer)
    // JSON has no NaN and no infinities.
    case .number(let number): text += number.isFinite ? String(number) : "null"
    case .string(let string): Self.write(string, to: &text)
    case .list(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        element.write(to: &text)
      }
      text += "]"
    case .object(let fields):
      text += "{"
      for (index, (name, value)) in fields.enumerated() {
        if index > 0 { text += "," }
        Self.write(name, to: &text)
        text += ":"
        value.write(to: &text)
      }
      text += "}"
    case .raw(let raw): text += raw
    }
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    if string.utf8.allSatisfy({ $0 >= 32 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
    {
      text += string
    } else {
      for scalar in string.unicodeScalars { write(scalar, to: &text) }
    }
    text += "\""
  }

  private static func write(_ scalar: Unicode.Scalar, to text: inout String) {
    switch scalar {
    case "\"": text += "\\\""
    case "\\": text += "\\\\"
    case "\n": text += "\\n"
    case "\r": text += "\\r"
    case "\t": text += "\\t"
    case _ where scalar.value < 32:
      let digits = String(scalar.value, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: text.unicodeScalars.append(scalar)
    }
  }

  /// Reads a document; the names in an object must differ.
  ///
  public init(parsing text: UnsafeRawBufferPointer) throws(JSONSyntaxError) {
    var problem = json_error_t()
    let flags = Int(JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES)
    guard let node = json_loadb(text.baseAddress, text.count, flags, &problem) else {
      throw JSONSyntaxError(problem)
    }
    defer { json_decref(node) }
    self.init(node)
  }

  private init(_ node: UnsafeMutablePointer<json_t>) {
    switch node.pointee.type {
    case JSON_OBJECT:
      var fields: [(String, JSONValue)] = []
      var iterator = json_object_iter(node)
      while let current = iterator {
        if let value = json_object_iter_value(current) {
          fields.append((String(cString: json_object_iter_key(current)), JSONValue(value)))
        }
        iterator = json_object_iter_next(node, current)
      }
      self = .object(fields)
    case JSON_ARRAY:
      self = .list(
        (0..<json_array_size(node)).map { json_array_get(node, $0).map { JSONValue($0) } ?? .null })
    case JSON_STRING:
      let bytes = UnsafeRawBufferPointer(
        start: json_string_value(node), count: json_string_length(node))
      self = .string(String(decoding: bytes, as: UTF8.self))
    case JSON_INTEGER: self = .integer(json_integer_value(node))
    case JSON_REAL: self = .number(json_real_value(node))
    case JSON_TRUE: self = .bool(true)
    case JSON_FALSE: self = .bool(false)
    default: self = .null
    }
  }

  /// The same document with the fields of all its objects in the order of their names.
  public var canonical: JSONValue {
    switch self {
    case .list(let elements): .list(elements.map(\.canonical))
    case .object(let fields):
      .object(fields.map { ($0, $1.canonical) }.sorted { $0.0 < $1.0 })
    default: self
    }
  }
}

/// Why a text is no JSON.
public struct JSONSyntaxError: Error, Sendable, Equatable {
  /// What is wrong.
  public let reason: String
  /// From 1.
  public let line: Int
  /// In the line, from 1.
  public let column: Int

  init(_ problem: json_error_t) {
    reason = withUnsafeBytes(of: problem.text) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    line = Int(problem.line)
    column = Int(problem.column)
  }
}

extension JSONSyntaxError: CustomStringConvertible {
  /// The reason and the place.
  public var description: String { "\(reason) (line \(line), column \(column))" }
}
