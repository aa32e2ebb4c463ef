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
    guard let node = makeNode() else { return "null" }
    defer { json_decref(node) }
    guard let text = json_dumps(node, Int(JSON_COMPACT) | Int(JSON_ENCODE_ANY)) else {
      return "null"
    }
    defer { free(text) }
    return String(cString: text)
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
    case .raw(let text): return json_loads(text, Int(JSON_DECODE_ANY), nil)
    }
  }
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
