import Scripting

/// The fields of a request's body.
struct JSONBody {
  private let fields: [(String, JSONValue)]

  /// - Parameter known: the fields that it may have.
  /// - Throws: `APIError` for a body that is not an object with these fields.
  init(_ bytes: [UInt8], known: [String]) throws(APIError) {
    let value: JSONValue
    do { value = try bytes.withUnsafeBytes { try JSONValue(parsing: $0) } } catch {
      throw .request("the body is not JSON: \(error)")
    }
    guard case .object(let fields) = value else { throw .request("the body must be an object") }
    for (name, _) in fields where !known.contains(name) {
      throw .request(
        "unknown field '\(name)'"
          + didYouMean(
            name, among: known, otherwise: "the fields are \(known.joined(separator: ", "))"))
    }
    self.fields = fields
  }

  subscript(name: String) -> JSONValue? { fields.first { $0.0 == name }?.1 }

  func bool(_ name: String) throws(APIError) -> Bool {
    switch self[name] {
    case nil: return false
    case .bool(let bool)?: return bool
    default: throw .request("field '\(name)' must be true or false")
    }
  }

  func text(_ name: String) throws(APIError) -> String {
    guard case .string(let text)? = self[name] else {
      throw .request("field '\(name)' must be a string")
    }
    return text
  }
}

/// The arguments of a request's query.
struct Query {
  private let arguments: [(name: String, value: String)]

  /// - Throws: `APIError` for an argument that is not known.
  init(_ request: HTTPRequest, known: [String]) throws(APIError) {
    for argument in request.arguments where !known.contains(argument.name) {
      throw .request(
        "unknown argument '\(argument.name)'"
          + didYouMean(
            argument.name, among: known,
            otherwise: known.isEmpty
              ? "there are none" : "the arguments are \(known.joined(separator: ", "))"))
    }
    arguments = request.arguments
  }

  func all(_ name: String) -> [String] { arguments.filter { $0.name == name }.map(\.value) }

  func text(_ name: String) throws(APIError) -> String? {
    let values = all(name)
    guard values.count < 2 else { throw .request("argument '\(name)' is given twice") }
    return values.first
  }

  func number(_ name: String, in range: ClosedRange<Int>) throws(APIError) -> Int? {
    guard let text = try text(name) else { return nil }
    let sign = text.hasPrefix("-") ? -1 : 1
    guard let digits = Int(digits: sign < 0 ? String(text.dropFirst()) : text),
      range.contains(sign * digits)
    else {
      throw .request(
        "argument '\(name)' must be a number"
          + (range.upperBound < .max ? " from \(range.lowerBound) to \(range.upperBound)" : ""))
    }
    return sign * digits
  }

  func flag(_ name: String) throws(APIError) -> Bool {
    switch try text(name) {
    case nil, "0": return false
    case "1": return true
    default: throw .request("argument '\(name)' must be 1 or 0")
    }
  }
}
