import LuaRuntime
import Platform
import Synchronization

/// The values that must not be shown: those of the variables and parameters that commands name as
/// their secrets. For the whole process, as its environment is. Any thread.
public enum Secrets {
  private static let values = Mutex<[[UInt8]]>([])
  private static let areAny = Atomic<Bool>(false)

  /// Whether there is anything to mask.
  public static var isEmpty: Bool { !areAny.load(ordering: .relaxed) }

  /// What stands where a secret stood.
  public static let mask: [UInt8] = Array("***".utf8)

  /// Bytes with each secret masked; nil if there is none in them.
  public static func masked(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard !isEmpty else { return nil }
    let secrets = values.withLock { $0 }
    var result: [UInt8]?
    for secret in secrets {
      let masked =
        result.map { result in result.withUnsafeBytes { replace(secret, in: $0) } }
        ?? replace(secret, in: bytes)
      result = masked ?? result
    }
    return result
  }

  /// A document of JSON as a text, which it still is with each secret masked.
  public static func masked(json text: String) -> String {
    guard !isEmpty else { return text }
    guard let document = JSONValue(text: text) else { return masked(text) }
    return document.masked.map(\.text) ?? text
  }

  /// A text with each secret masked.
  public static func masked(_ text: String) -> String {
    guard !isEmpty else { return text }
    return text.withExactBytes { masked($0) }.map { String(exactly: $0) } ?? text
  }

  private static func replace(
    _ secret: [UInt8], in bytes: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    var result: [UInt8]?
    var start = 0
    var rest = bytes
    while let found = find(secret, in: rest) {
      let position = bytes.count - rest.count + found
      result = (result ?? []) + bytes[start..<position] + mask
      start = position + secret.count
      rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
    }
    return result.map { $0 + bytes[start...] }
  }

  private static func find(_ secret: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress, let first = secret.first else { return nil }
    var position = 0
    while position + secret.count <= bytes.count,
      let found = memchr(start + position, Int32(first), bytes.count - position)
    {
      position = UnsafeRawPointer(found) - start
      if bytes[position...].starts(with: secret) { return position }
      position += 1
    }
    return nil
  }

  /// Adds a value: each of its lines, as output comes in lines, and in the forms that JSON gives it.
  ///
  /// A value of one line is masked however short it is. Of several lines, those of one or two bytes,
  /// the braces of a key file perhaps, are no secrets by themselves.
  static func add(_ value: [UInt8]) {
    let lines = value.split(whereSeparator: { $0 == 10 || $0 == 13 })
    let forms = lines.filter { lines.count == 1 || $0.count > 2 }.flatMap(JSONForm.forms)
    values.withLock { values in
      for form in forms where !values.contains(form) { values.append(form) }
      // The longest first, so that one inside another leaves nothing of it.
      values.sort { $0.count > $1.count }
      areAny.store(!values.isEmpty, ordering: .relaxed)
    }
  }

  // MARK: Names

  /// The names of variables whose values are secrets, from the commands that name them.
  private static let names = Mutex<Set<String>>([])

  /// From now on the values of some variables are secrets, whoever sets them.
  static func note(_ secrets: [String]) {
    guard !secrets.isEmpty else { return }
    names.withLock { $0.formUnion(secrets) }
    for name in secrets {
      if let value = ProcessEnvironment.value(of: name) { add(value.exactBytes) }
    }
  }

  /// Adds the value of a variable that is being set, if it is a secret by its name.
  static func add(_ value: [UInt8], of name: String) {
    if names.withLock({ $0.contains(name) }) { add(value) }
  }

  /// Adds the values of variables that a process gets, if they are secrets by their names.
  static func add(_ variables: [EnvironmentChange]) {
    for case (let name, let value?) in variables { add(value, of: name) }
  }

  /// Adds what a command names, of its input and of the variables known before it begins.
  static func add(_ surroundings: Surroundings, input: LuaValue, _ host: ScriptHost) {
    guard !surroundings.secrets.isEmpty else { return }
    let names = Set(surroundings.secrets)
    note(surroundings.secrets)
    add(surroundings.variables)
    for (name, value) in host.fields(of: input) ?? [] where names.contains(name) {
      if let bytes = value.argumentBytes { add(bytes) }
    }
  }

  /// Adds the defaults of the parameters that a command names.
  static func add(_ surroundings: Surroundings, defaultsOf parameters: [Parameter]) {
    for parameter in parameters where surroundings.secrets.contains(parameter.name) {
      if let value = parameter.defaultValue.argumentBytes { add(value) }
    }
  }
}

/// How encoders of JSON write a text, without its quotes.
private enum JSONForm {
  /// The text itself, and all its forms that differ.
  static func forms(of line: ArraySlice<UInt8>) -> [[UInt8]] {
    let text = String(exactly: line)
    let plain = JSONValue.string(text).text.utf8.dropFirst().dropLast()
    let forms = [Array(plain), ascii(text)]
    return [Array(line)] + forms + forms.map(escapingSlashes)
  }

  private static func escapingSlashes(_ form: [UInt8]) -> [UInt8] {
    form.flatMap { $0 == UInt8(ascii: "/") ? Array("\\/".utf8) : [$0] }
  }

  /// With escapes for everything but ASCII.
  private static func ascii(_ text: String) -> [UInt8] {
    var form: [UInt8] = []
    for scalar in text.repaired.unicodeScalars {
      if scalar.isASCII {
        form += JSONValue.string(String(scalar)).text.utf8.dropFirst().dropLast()
      } else {
        for unit in UTF16.encode(scalar) ?? .init() {
          let digits = String(unit, radix: 16)
          form += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
        }
      }
    }
    return form
  }
}

extension JSONValue {
  /// The document with the secrets in its texts masked, and with a mask for each number or truth that
  /// holds one; nil if there is none. Masked before it is encoded, it stays a document whatever a secret is.
  public var masked: JSONValue? {
    guard !Secrets.isEmpty else { return nil }
    switch self {
    case .null: return nil
    case .string(let text):
      let masked = Secrets.masked(text)
      return masked == text ? nil : .string(masked)
    case .bool, .integer, .number:
      let text = text
      let mask = String(decoding: Secrets.mask, as: UTF8.self)
      return Secrets.masked(text) == text ? nil : .string(mask)
    case .list(let elements):
      let masked = elements.map(\.masked)
      guard masked.contains(where: { $0 != nil }) else { return nil }
      return .list(zip(masked, elements).map { $0 ?? $1 })
    case .object(let fields):
      let masked = fields.map { (name: Secrets.masked($0.0), value: $0.1.masked) }
      guard zip(masked, fields).contains(where: { $0.value != nil || $0.name != $1.0 }) else {
        return nil
      }
      return .object(zip(masked, fields).map { ($0.name, $0.value ?? $1.1) })
    case .raw(let raw): return JSONValue(text: raw)?.masked
    }
  }
}
