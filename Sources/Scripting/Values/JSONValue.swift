import CJansson
import Platform

/// A JSON document that the program itself makes; fields keep their order.
public enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case list([JSONValue])
  case object([(String, JSONValue)])
  /// An encoded document.
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

  /// JSON is text: bytes that are not UTF-8 become U+FFFD. The characters that represent such bytes
  /// in the program are escaped, so that the document is the same text and the same bytes.
  private static func write(_ string: String, to text: inout String) {
    let string = string.repaired
    text += "\""
    if !string.keepsBytes,
      string.utf8.allSatisfy({ $0 >= 32 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
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
    case _ where scalar.keepsByte:
      for unit in String(scalar).utf16 { text += "\\u" + String(unit, radix: 16) }
    default: text.unicodeScalars.append(scalar)
    }
  }

  /// Parses a document; the names in an object must be unique, and integers must fit 64 bits: two that
  /// differ must not become equal.
  public init(parsing text: UnsafeRawBufferPointer) throws(JSONSyntaxError) {
    let node = try Self.parse(Array(text), JSON_REJECT_DUPLICATES, wideIntegersAsFloats: false)
    defer { json_decref(node) }
    self.init(node)
  }

  /// Parses a document of another program, in which the last of several equal names counts.
  ///
  /// - Parameter omitted: names of fields to leave out whose values are lists.
  init(parsingOther text: [UInt8], without omitted: Set<String> = []) throws(JSONSyntaxError) {
    let node = try Self.parse(text)
    defer { json_decref(node) }
    self.init(node, without: omitted)
  }

  /// Parses a document; nil if the text is not valid JSON.
  public init?(text: String) {
    guard let node = try? Self.parse(text.exactBytes, JSON_REJECT_DUPLICATES) else { return nil }
    defer { json_decref(node) }
    self.init(node)
  }

  /// Returns the nodes of a document, which the caller has to release.
  ///
  /// - Parameter wideIntegersAsFloats: true if an integer of more than 64 bits becomes a float, as in Lua.
  static func parse(
    _ text: [UInt8], _ flags: Int32 = 0, wideIntegersAsFloats: Bool = true
  ) throws(JSONSyntaxError) -> UnsafeMutablePointer<json_t> {
    var problem = json_error_t()
    let flags = Int(JSON_DECODE_ANY | JSON_ALLOW_NUL | flags)
    if let node = json_loadb(text, text.count, flags, &problem) {
      // The parser skips a zero byte behind a number.
      guard let zero = text.firstIndex(of: 0) else { return node }
      json_decref(node)
      throw JSONSyntaxError(zeroByteAt: zero, in: text)
    }
    if wideIntegersAsFloats, let wider = withWideIntegersAsFloats(text) {
      if let node = json_loadb(wider, wider.count, flags, &problem) { return node }
      // The fault is elsewhere; this finds its place in the text as it was written.
      if let node = json_loadb(text, text.count, flags | Int(JSON_DECODE_INT_AS_REAL), &problem) {
        json_decref(node)
      }
    }
    throw JSONSyntaxError(problem)
  }

  /// Returns the text with a fraction after each integer that does not fit 64 bits; nil if there is
  /// none.
  private static func withWideIntegersAsFloats(_ text: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    var rest = text[...]
    var isInString = false
    while let byte = rest.popFirst() {
      result.append(byte)
      if isInString {
        if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() { result.append(escaped) }
        isInString = byte != UInt8(ascii: "\"")
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if "-0123456789".utf8.contains(byte) {
        let number = rest.prefix { "0123456789.eE+-".utf8.contains($0) }
        result += number
        rest = rest.dropFirst(number.count)
        let isInteger = number.allSatisfy {
          $0 != UInt8(ascii: ".") && $0 | 32 != UInt8(ascii: "e")
        }
        if isInteger, number.count >= 18,
          Int64(String(decoding: [byte] + number, as: UTF8.self)) == nil
        {
          result += ".0".utf8
        }
      }
    }
    return result.count > text.count ? result : nil
  }

  private init(_ node: UnsafeMutablePointer<json_t>, without omitted: Set<String> = []) {
    switch node.pointee.type {
    case JSON_OBJECT:
      var fields: [(String, JSONValue)] = []
      fields.reserveCapacity(json_object_size(node))
      var iterator = json_object_iter(node)
      while let current = iterator {
        let name = String(exactly: json_object_iter_key(current))
        if let value = json_object_iter_value(current),
          value.pointee.type != JSON_ARRAY || !omitted.contains(name)
        {
          fields.append((name, JSONValue(value, without: omitted)))
        }
        iterator = json_object_iter_next(node, current)
      }
      self = .object(fields)
    case JSON_ARRAY:
      self = .list(
        (0..<json_array_size(node)).map {
          json_array_get(node, $0).map { JSONValue($0, without: omitted) } ?? .null
        })
    case JSON_STRING:
      let bytes = UnsafeRawBufferPointer(
        start: json_string_value(node), count: json_string_length(node))
      self = .string(String(exactly: bytes))
    case JSON_INTEGER: self = .integer(json_integer_value(node))
    case JSON_REAL: self = .number(json_real_value(node))
    case JSON_TRUE: self = .bool(true)
    case JSON_FALSE: self = .bool(false)
    default: self = .null
    }
  }

  /// The same document with the fields of all objects sorted by the bytes of their names. Names that
  /// Unicode calls equal have an order, too.
  public var canonical: JSONValue {
    switch self {
    case .list(let elements): .list(elements.map(\.canonical))
    case .object(let fields):
      .object(
        fields.map { ($0, $1.canonical) }
          .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) })
    default: self
    }
  }
}

/// The reason why a text is not valid JSON.
public struct JSONSyntaxError: Error, Sendable, Equatable {
  /// The problem.
  public let reason: String
  /// The line, from 1.
  public let line: Int
  /// The column in the line, from 1.
  public let column: Int

  init(_ problem: json_error_t) {
    reason = withUnsafeBytes(of: problem.text) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    line = Int(problem.line)
    column = Int(problem.column)
  }

  init(zeroByteAt index: Int, in text: [UInt8]) {
    let before = text[..<index]
    reason = "a zero byte outside of a string"
    line = before.count { $0 == 10 } + 1
    column = index - (before.lastIndex(of: 10) ?? -1)
  }
}

extension JSONSyntaxError: CustomStringConvertible {
  /// The reason and the place.
  public var description: String { "\(reason) (line \(line), column \(column))" }
}
