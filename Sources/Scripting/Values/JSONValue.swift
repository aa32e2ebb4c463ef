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

  /// The document on one line.
  public var text: String {
    guard let node = makeNode() else { return "null" }
    defer { json_decref(node) }
    guard let text = json_dumps(node, Int(JSON_COMPACT) | Int(JSON_ENCODE_ANY)) else {
      return "null"
    }
    defer { free(text) }
    return String(cString: text)
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

  private func makeNode() -> UnsafeMutablePointer<json_t>? {
    switch self {
    case .null: return json_null()
    case .bool(let bool): return bool ? json_true() : json_false()
    case .integer(let integer): return json_integer(integer)
    // JSON has no NaN and no infinities.
    case .number(let number): return json_real(number) ?? json_null()
    case .string(let string): return makeJSONText(string)
    case .list(let elements):
      let list = json_array()
      for element in elements { json_array_append_new(list, element.makeNode()) }
      return list
    case .object(let fields):
      let object = json_object()
      for (name, value) in fields { json_object_set_new(object, name, value.makeNode()) }
      return object
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

/// A text as a JSON string.
func makeJSONText(_ text: String) -> UnsafeMutablePointer<json_t>? {
  var text = text
  return text.withUTF8 { bytes in
    // An empty text may have no address.
    guard !bytes.isEmpty else { return json_string("") }
    return bytes.withMemoryRebound(to: CChar.self) { json_stringn($0.baseAddress, $0.count) }
  }
}
