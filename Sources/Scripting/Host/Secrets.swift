import LuaRuntime
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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

  /// A text of JSON, which it still is with each secret masked: the part of a string that is one, and
  /// any other value that holds one.
  public static func masked(json text: String) -> String {
    guard !isEmpty else { return text }
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let first = rest.first {
      let isString = first == quote
      let token = isString ? rest.prefix(stringLength(rest)) : rest.prefix { !isJSONMark($0) }
      guard !token.isEmpty else {
        result.append(rest.removeFirst())
        continue
      }
      rest.removeFirst(token.count)
      if let masked = token.withUnsafeBytes(masked) {
        result += isString ? masked : [quote] + mask + [quote]
      } else {
        result += token
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let quote = UInt8(ascii: "\"")

  private static func isJSONMark(_ byte: UInt8) -> Bool {
    switch byte {
    case quote, 0x20, 0x0A, 0x2C, 0x3A, 0x5B, 0x5D, 0x7B, 0x7D: true
    default: false
    }
  }

  /// Up to and with the quote that ends it.
  private static func stringLength(_ text: ArraySlice<UInt8>) -> Int {
    var isEscaped = false
    for (offset, byte) in text.enumerated().dropFirst() {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == quote {
        return offset + 1
      }
    }
    return text.count
  }

  /// A text with each secret masked.
  public static func masked(_ text: String) -> String {
    guard !isEmpty else { return text }
    var text = text
    let bytes = text.withUTF8 { masked(UnsafeRawBufferPointer($0)) }
    return bytes.map { String(decoding: $0, as: UTF8.self) } ?? text
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

  /// Adds a value: each of its lines, as output comes in lines, and in the form that JSON gives it.
  static func add(_ value: [UInt8]) {
    var forms: [[UInt8]] = []
    for line in value.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
      forms.append(Array(line))
      let quoted = JSONValue.string(String(decoding: line, as: UTF8.self)).text
      forms.append(Array(quoted.utf8.dropFirst().dropLast()))
    }
    values.withLock { values in
      for form in forms where !values.contains(form) { values.append(form) }
      // The longest first, so that one inside another leaves nothing of it.
      values.sort { $0.count > $1.count }
      areAny.store(!values.isEmpty, ordering: .relaxed)
    }
  }

  /// Adds what a command names, of its input and of the variables known before it begins.
  static func add(_ surroundings: Surroundings, input: LuaValue, _ host: ScriptHost) {
    guard !surroundings.secrets.isEmpty else { return }
    let names = Set(surroundings.secrets)
    for name in names {
      if let value = getenv(name) { add(Array(String(cString: value).utf8)) }
    }
    add(surroundings.variables, named: names)
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

  /// Adds what a command names, of the variables of its processes.
  static func add(_ surroundings: Surroundings, of place: Workplace) {
    guard !surroundings.secrets.isEmpty else { return }
    add(place.variables, named: Set(surroundings.secrets))
  }

  private static func add(_ variables: [EnvironmentChange], named names: Set<String>) {
    for (name, value) in variables where names.contains(name) {
      if let value { add(value) }
    }
  }
}
