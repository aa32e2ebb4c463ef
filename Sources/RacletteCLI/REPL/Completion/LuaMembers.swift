import LineEditor
import LuaRuntime
import Scripting

/// The members of values, as far as they can be known without running code.
struct LuaMembers {
  private let workspace: Workspace
  private var interpreter: LuaInterpreter { workspace.host.interpreter }

  init(_ workspace: Workspace) {
    self.workspace = workspace
  }

  /// What a name was found to be.
  private enum Found {
    case value(LuaValue)
    /// An object of the library that only a call would make, by its kind.
    case kind(String)
  }

  /// The names that may follow a path.
  func candidates(of path: MemberPath) -> [Completion] {
    if path.steps.isEmpty {
      guard path.separator.isEmpty else { return [] }
      return globals + Self.keywords.map { Completion($0, kind: "keyword") }
    }
    switch find(path) {
    case nil: return []
    case .kind(let kind): return members(of: kind, after: path.separator)
    case .value(let value):
      if let object = workspace.host.object(value) {
        return members(of: object.kind, after: path.separator)
      }
      let entries = path.steps.map(\.name) == ["rac"] ? Library.moduleEntries : []
      return fields(of: value).filter { name, type in
        path.separator == "." || type == .function
      }.map { name, type in
        let entry = entries.first { $0.name == "rac.\(name)" }
        return Completion(name, kind: type.name, detail: entry?.firstSentence ?? "")
      }
    }
  }

  /// The library's entry for the name at the end of a path; nil for names of others.
  func entry(of path: MemberPath) -> LibraryEntry? {
    let entries: [LibraryEntry]
    switch find(path) {
    case nil: return nil
    case .kind(let kind): entries = Library.members(of: kind)
    case .value(let value):
      if let object = workspace.host.object(value) {
        entries = Library.members(of: object.kind)
      } else {
        let name = (path.steps.map(\.name) + [path.typed]).joined(separator: ".")
        return Library.moduleEntries.first { $0.name == name }
      }
    }
    return entries.first { $0.shortName == path.typed && $0.isFunction }
  }

  /// Whether a name has a value here.
  func isKnown(_ name: String) -> Bool {
    scopes.contains { rawMember(name, of: $0) != nil }
  }

  /// The command that a path leads to.
  func command(at path: MemberPath) -> ScriptCommand? {
    guard case .value(let value) = find(path),
      case .command(let command) = workspace.host.object(value)
    else { return nil }
    return command
  }

  static let keywords = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
  ]

  /// Where names are looked up.
  private var scopes: [LuaValue] {
    [.reference(workspace.environment.variables), .reference(workspace.environment.globals)]
  }

  private var globals: [Completion] {
    scopes.flatMap { fields(of: $0).map { Completion($0.name, kind: $0.type.name) } }
  }

  private func members(of kind: String, after separator: String) -> [Completion] {
    Library.members(of: kind).filter { $0.isFunction == (separator == ":") }.map {
      Completion(
        $0.shortName, kind: $0.isFunction ? "method" : "field", detail: $0.firstSentence)
    }
  }

  // MARK: Walking

  private func find(_ path: MemberPath) -> Found? {
    guard let first = path.steps.first else { return nil }
    return path.steps.dropFirst().reduce(start(first)) { found, step in
      found.flatMap { member(of: $0, step) }
    }
  }

  private func start(_ step: MemberPath.Step) -> Found? {
    scopes.lazy.compactMap { member(of: .value($0), step) }.first
  }

  private func member(of found: Found, _ step: MemberPath.Step) -> Found? {
    switch found {
    case .kind(let kind): return result(of: Library.members(of: kind), step)
    case .value(let value):
      if let object = workspace.host.object(value) {
        return result(of: Library.members(of: object.kind), step)
      }
      guard let member = rawMember(step.name, of: value) else { return nil }
      guard step.isCalled else { return .value(member) }
      // Only the library says what its functions return.
      guard member.type == .function else { return nil }
      return result(of: Library.moduleEntries, step)
    }
  }

  private func result(of entries: [LibraryEntry], _ step: MemberPath.Step) -> Found? {
    guard let entry = entries.first(where: { $0.shortName == step.name }),
      entry.isFunction == step.isCalled
    else { return nil }
    return entry.result.map { .kind($0) }
  }

  /// A field of a table, or of the tables that its metatable leads to.
  private func rawMember(_ name: String, of value: LuaValue) -> LuaValue? {
    for table in tables(of: value) {
      let member: LuaValue =
        interpreter.withStack { stack in
          stack.push(table)
          stack.rawGet(name, at: -1)
          return stack.value(at: -1)
        } ?? .nil
      if !member.isNil { return member }
    }
    return nil
  }

  private func fields(of value: LuaValue) -> [(name: String, type: LuaType)] {
    var fields: [(name: String, type: LuaType)] = []
    for table in tables(of: value) {
      _ = interpreter.withStack { stack in
        stack.push(table)
        var seen = 0
        try? stack.forEachPair(at: -1) { stack throws(LuaError) in
          seen += 1
          if let name = stack.string(at: -2), LuaTokens.isName(name) {
            fields.append((name, stack.type(at: -1)))
          }
          return seen < TableReader.longestWalk
        }
      }
    }
    return fields
  }

  /// The value itself if it is a table, then the tables that `__index` leads to; functions there are
  /// not called.
  private func tables(of value: LuaValue) -> [LuaReference] {
    var tables: [LuaReference] = []
    var current = value
    while tables.count < 10 {
      if case .reference(let reference) = current, reference.type == .table {
        tables.append(reference)
      }
      let next: LuaValue =
        interpreter.withStack { stack in
          stack.push(current)
          guard stack.pushMetatable(at: -1) else { return .nil }
          return stack.rawGet("__index", at: -1) == .table ? stack.value(at: -1) : .nil
        } ?? .nil
      guard !next.isNil else { break }
      current = next
    }
    return tables
  }
}

extension LibraryEntry {
  /// What it does, in short.
  var firstSentence: String {
    summary.firstRange(of: ". ").map { String(summary[..<$0.lowerBound]) + "." } ?? summary
  }
}
