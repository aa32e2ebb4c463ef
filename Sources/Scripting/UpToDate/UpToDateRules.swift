import LuaRuntime
import Platform

/// What a definition says about when an execution can be left out: `sources`, `outputs`, `depfile`
/// and `fingerprint`.
struct UpToDateRules: Sendable {
  /// A list of patterns, or a function of the input that returns one.
  enum Files: Sendable {
    case none
    case patterns([String])
    case function
    /// A value of `rac.lazy`, or a list with such values.
    case lazy
  }

  var sources = Files.none
  var outputs = Files.none
  var depfiles = Files.none
  var hasFingerprint = false

  /// - Returns: nil if the definition has none of the keys: then it is executed each time.
  init?(_ fields: TableFields, _ problems: DefinitionProblems) throws {
    sources = try problems.part(.none) { try Self.files(fields, "sources", problems) }
    outputs = try problems.part(.none) { try Self.files(fields, "outputs", problems) }
    depfiles = try problems.part(.none) { try Self.files(fields, "depfile", problems) }
    hasFingerprint = try problems.part(false) {
      switch fields.type("fingerprint") {
      case .nil: return false
      case .function: return true
      case let type: throw problems.bad("field 'fingerprint' must be a function, got \(type.name)")
      }
    }
    if case (.none, .none, .none, false) = (sources, outputs, depfiles, hasFingerprint) {
      return nil
    }
  }

  /// True if patterns are computed by `rac.lazy`.
  var isComputed: Bool {
    [sources, outputs, depfiles].contains { if case .lazy = $0 { true } else { false } }
  }

  private static func files(
    _ fields: TableFields, _ name: String, _ problems: DefinitionProblems
  ) throws -> Files {
    if fields.type(name) == .nil { return .none }
    if fields.type(name) == .function { return .function }
    if ([fields[name]] + fields.list(name)).contains(where: { fields.stack.lazyText(of: $0) != nil }
    ) {
      return .lazy
    }
    let elements = fields.type(name) == .table ? fields.list(name) : nil
    guard let patterns = patterns(of: fields[name], elements), !patterns.isEmpty else {
      let given = elements.map { $0.isEmpty ? "an empty list" : "something else in its list" }
      throw problems.bad(
        "field '\(name)' must be a pattern, a list of patterns or a function, got "
          + (given ?? fields.type(name).name)
          + (elements?.isEmpty == true ? problems.hintAtUnsetName(in: name) : ""))
    }
    do { _ = try Glob(patterns) } catch { throw problems.bad("field '\(name)': \(error)") }
    return .patterns(patterns)
  }

  /// Returns the patterns of a value: one, or a list of them; nil for anything else.
  ///
  /// - Parameter elements: the elements of the value if it is a table.
  static func patterns(of value: LuaValue, _ elements: [LuaValue]?) -> [String]? {
    if let pattern = value.stringValue?.exactText { return [pattern] }
    guard let elements else { return nil }
    let patterns = elements.compactMap(\.stringValue?.exactText)
    return patterns.count == elements.count ? patterns : nil
  }

  /// Pushes a table of what decides about an execution: the functions, and all of the definition
  /// that changes what its work does. [-0, +1]
  static func pushKept(from definition: Int, on stack: LuaStack) {
    let definition = stack.absolute(definition)
    stack.newTable(fields: 8)
    let table = stack.top
    try? stack.forEachPair(at: definition) { stack throws(LuaError) in
      guard let name = stack.string(at: -2), !appearance.contains(name) else { return true }
      stack.copy(from: stack.top)
      stack.rawSet(name, at: table)
      return true
    }
  }

  /// The keys that change when and how a command is executed or shown, and not what it does.
  private static let appearance: Set<String> = [
    "name", "summary", "description", "group", "aliases", "private", "params", "needs", "enabled",
    "concurrency", "across", "uses", "scope", "when_busy", "timeout", "retry", "replay", "secrets",
    "confirm", "default", "os",
    "precondition", "watch",
  ]
}
