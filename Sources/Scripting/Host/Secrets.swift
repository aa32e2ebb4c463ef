import LuaRuntime
import Platform
import Synchronization

/// The values that must not be shown: those of the variables and parameters that commands name as
/// their secrets. Like the environment, they are global to the process. Any thread.
public enum Secrets {
  private static let values = Mutex(SecretValues())
  private static let areAny = Atomic<Bool>(false)

  /// True if there is nothing to mask.
  public static var isEmpty: Bool { !areAny.load(ordering: .relaxed) }

  /// The replacement for a secret.
  public static let mask: [UInt8] = Array("***".utf8)

  /// Returns bytes with each secret masked; nil if they contain none.
  public static func masked(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard !isEmpty else { return nil }
    let ranges = find(in: bytes).ranges
    guard !ranges.isEmpty else { return nil }
    let secret = ranges.reduce(0) { $0 + $1.count }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count - secret + ranges.count * mask.count)
    var start = 0
    for range in ranges {
      result.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<range.lowerBound]))
      result.append(contentsOf: mask)
      start = range.upperBound
    }
    result.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start...]))
    return result
  }

  /// Returns the number of bytes at the end of a piece of text that belong to a secret which the
  /// next piece may complete. The part before them can be masked by itself.
  public static func openEnd(of piece: UnsafeRawBufferPointer) -> Int {
    guard !isEmpty else { return 0 }
    let (ranges, open) = find(in: piece)
    let end = piece.count - open
    // A run of overlapping secrets is held back whole up to a limit; a longer one is cut.
    guard let last = ranges.last(where: { $0.lowerBound < end }), last.upperBound > end,
      piece.count - last.lowerBound <= longestOpenEnd
    else { return open }
    return piece.count - last.lowerBound
  }

  private static let longestOpenEnd = 64 << 10

  private static func find(
    in bytes: UnsafeRawBufferPointer
  ) -> (ranges: [Range<Int>], open: Int) {
    let finders = values.withLock { $0.finders }
    var ranges: [Range<Int>] = []
    var open = 0
    for finder in finders {
      var found: [Range<Int>] = []
      open = max(open, finder.find(in: bytes, &found))
      ranges += found
    }
    return (finders.count > 1 ? ranges.joined : ranges, open)
  }

  /// Returns a JSON document as text that is still valid JSON after each secret is masked.
  public static func masked(json text: String) -> String {
    guard !isEmpty else { return text }
    guard let document = JSONValue(text: text) else { return masked(text) }
    return document.masked.map(\.text) ?? text
  }

  /// Returns a text with each secret masked.
  public static func masked(_ text: String) -> String {
    guard !isEmpty else { return text }
    return text.withExactBytes { masked($0) }.map { String(exactly: $0) } ?? text
  }

  /// Adds a value: each of its lines, because output comes in lines, and each of its JSON
  /// encodings.
  ///
  /// A value of one line is masked however short it is. Lines of one or two bytes in a longer
  /// value, such as the braces of a key file, are not secrets by themselves.
  ///
  /// - Parameter variable: the variable whose value it is; nil for other values.
  static func add(_ value: [UInt8], of variable: String? = nil) {
    values.withLock { values in
      values.add(value, of: variable)
      areAny.store(!values.finders.isEmpty, ordering: .relaxed)
    }
  }

  /// Adds a value that another process has found in a text; see `found(in:)`.
  public static func add(_ value: String) { add(value.exactBytes) }

  /// Returns the values that occur in a JSON document, so that another process can mask them.
  public static func found(in document: String) -> [String] {
    guard !isEmpty else { return [] }
    // Its writer may have escaped more than it had to.
    let plain = JSONValue(text: document)?.text ?? document
    return values.withLock { $0.found(in: [document, plain]) }.map { String(exactly: $0) }
  }

  // MARK: Names

  /// The names of variables whose values are secrets, from the commands that name them.
  private static let names = Mutex<Set<String>>([])

  /// Makes all later values of some variables secret, wherever they are set.
  static func note(_ secrets: [String], in environment: CallerEnvironment) {
    guard !secrets.isEmpty else { return }
    names.withLock { $0.formUnion(secrets) }
    add(of: secrets, in: environment)
  }

  /// Adds the values of those of a caller's variables that commands name as secrets.
  package static func add(_ environment: CallerEnvironment) {
    add(of: names.withLock { Array($0) }, in: environment)
  }

  private static func add(of names: [String], in environment: CallerEnvironment) {
    for name in names {
      if let value = environment.value(of: name) { add(value, of: name) }
    }
  }

  /// Adds the value of a variable that is being set, if its name marks it as a secret.
  static func add(_ value: [UInt8], ifSecret name: String) {
    if names.withLock({ $0.contains(name) }) { add(value, of: name) }
  }

  /// Adds those of a process's variables whose names mark them as secrets.
  static func add(_ variables: [EnvironmentChange]) {
    for case (let name, let value?) in variables { add(value, ifSecret: name) }
  }

  /// Adds the secrets that a command names, from its input and from the variables known before it
  /// begins.
  static func add(_ environment: CommandEnvironment, input: LuaValue, _ host: ScriptHost) {
    guard !environment.secrets.isEmpty else { return }
    let names = Set(environment.secrets)
    note(environment.secrets, in: host.caller)
    add(environment.variables)
    for (name, value) in host.fields(of: input) ?? [] where names.contains(name) {
      if let bytes = value.argumentBytes { add(bytes) }
    }
  }

  /// Adds the defaults of the parameters that a command names as secrets.
  static func add(_ environment: CommandEnvironment, defaultsOf parameters: [Parameter]) {
    for parameter in parameters where environment.secrets.contains(parameter.name) {
      for value in [parameter.defaultValue] + parameter.restDefault {
        if let bytes = value.argumentBytes { add(bytes) }
      }
    }
  }
}

extension JSONValue {
  /// The document with the secrets in its texts masked, and with a mask in place of each number or
  /// boolean that holds one; nil if there is none. Because it is masked before it is encoded, it
  /// stays valid JSON whatever the secrets are.
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
