import LineEditor
import LuaRuntime
import RunnerCore
import Scripting

/// Finds the members of values, as far as they can be known without running code.
struct LuaMembers {
  private let workspace: Workspace
  /// The declarations of the entry itself.
  private let scope: EntryScope?
  private var interpreter: LuaInterpreter { workspace.host.interpreter }

  init(_ workspace: Workspace, _ scope: EntryScope? = nil) {
    self.workspace = workspace
    self.scope = scope
  }

  /// The result of looking up a name.
  private enum Found {
    case value(LuaValue)
    /// An object of the library that only a call could create, by its kind.
    case kind(String)
    /// A table that the entry itself creates, with these fields.
    case fields([String])
  }

  /// The names that may follow a path.
  func candidates(of path: MemberPath) -> [Completion] {
    if path.steps.isEmpty, !path.beginsWithString {
      guard path.separator.isEmpty else { return [] }
      let declared = (scope?.origins.keys.sorted() ?? []).map { Completion($0, kind: "local") }
      return declared + variables(startingWith: path.typed)
        + Self.keywords.map { Completion($0, kind: "keyword") }
    }
    switch find(path) {
    case nil: return []
    case .fields(let names):
      return path.separator == "." ? names.map { Completion($0, kind: "field") } : []
    case .kind(let kind): return members(of: kind, after: path.separator)
    case .value(let value):
      if let object = workspace.host.object(value) {
        return members(of: object.kind, after: path.separator)
      }
      return completions(of: value, path)
    }
  }

  private func completions(of value: LuaValue, _ path: MemberPath) -> [Completion] {
    let lead = path.steps.map(\.name).joined(separator: ".") + "."
    return fields(of: value).filter { name, type in
      path.separator == "." || type == .function && LuaQuoting.isIdentifier(name)
    }.map { name, type in
      let detail =
        path.beginsWithString
        ? StandardLibrary.entry(named: "string." + name)?.summary
        : Library.moduleEntries.first { $0.name == lead + name }?.firstSentence
          ?? StandardLibrary.entry(named: lead + name)?.summary
      return Completion(name, kind: type.name, detail: detail ?? "")
    }
  }

  /// The keys of the table at a path, including those that are not names.
  func keys(of path: MemberPath) -> [Completion] {
    switch find(path) {
    case .fields(let names): return names.map { Completion($0, kind: "field") }
    case .value(let value) where workspace.host.object(value) == nil:
      return fields(of: value).map { Completion($0.name, kind: $0.type.name) }
    default: return []
    }
  }

  /// The library entry for the name at the end of a path; nil if the library does not have the
  /// name.
  func entry(of path: MemberPath) -> LibraryEntry? {
    let entries: [LibraryEntry]
    switch find(path) {
    case nil, .fields: return nil
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

  /// The signature and the description of the function at a path.
  func signature(of path: MemberPath) -> String? {
    if let entry = entry(of: path) { return "\(entry.signature)  \(entry.firstSentence)" }
    let names = path.steps.map(\.name) + [path.typed]
    let full = names.joined(separator: ".")
    if path.beginsWithString || path.separator == ":", case .value(let value)? = find(path),
      value.type == .string, let entry = StandardLibrary.entry(named: "string." + path.typed)
    {
      return "\(entry.signature)  \(entry.summary)"
    }
    guard let function = function(at: path) else { return nil }
    if let facts = facts(of: function) {
      return "\(full)(\(facts.parameters.joined(separator: ", ")))"
    }
    return StandardLibrary.entry(named: full).map { "\($0.signature)  \($0.summary)" }
  }

  /// The function at a path.
  func function(at path: MemberPath) -> LuaReference? {
    guard case .reference(let reference)? = value(at: path), reference.type == .function else {
      return nil
    }
    return reference
  }

  /// The value at a path; nil if only running code could tell it.
  func value(at path: MemberPath) -> LuaValue? {
    let step = MemberPath.Step(name: path.typed)
    let found = path.steps.isEmpty ? start(step) : find(path).flatMap { member(of: $0, step) }
    if case .value(let value)? = found { return value }
    return nil
  }

  /// The known facts about a function; nil if it is not written in Lua.
  func facts(of function: LuaReference) -> LuaFunctionFacts? {
    interpreter.withStack { stack in
      stack.push(function)
      return stack.functionFacts(at: -1)
    } ?? nil
  }

  /// The variables that entries have declared or assigned to.
  var sessionVariables: [(name: String, value: LuaValue)] {
    variables(named: sessionFields.map(\.name) + workspace.environment.assignedGlobals)
  }

  /// The other globals that neither Lua nor the library defines: those of files.
  var fileVariables: [(name: String, value: LuaValue)] {
    let session = Set(sessionFields.map(\.name) + workspace.environment.assignedGlobals)
    return variables(named: fields(of: globals).map(\.name).filter { !session.contains($0) })
  }

  private func variables(named names: [String]) -> [(name: String, value: LuaValue)] {
    let own: Set<String> = ["_", "_VERSION", "_error", "arg", "pp", "rac", "repl"]
    return Set(names).filter {
      !own.contains($0) && StandardLibrary.entry(named: $0) == nil
        && !StandardLibrary.isLibrary($0)
    }.sorted().compactMap { name in variable(name).map { (name, $0) } }
  }

  /// True if an entry has declared a name as a local.
  func isLocal(_ name: String) -> Bool { workspace.environment.variable(name) != nil }

  /// True if a name has a value here.
  func isKnown(_ name: String) -> Bool {
    variable(name) != nil
  }

  /// The command at a path.
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

  private var globals: LuaValue { .reference(workspace.environment.globals) }

  /// The value of a variable of the session or of a global.
  func variable(_ name: String) -> LuaValue? {
    workspace.environment.variable(name) ?? rawMember(name, of: globals)
  }

  /// The variables of the session that have a value.
  private var sessionFields: [(name: String, type: LuaType)] {
    workspace.environment.names.compactMap { name in
      workspace.environment.variable(name).map { (name, $0.type) }
    }
  }

  private func variables(startingWith prefix: String) -> [Completion] {
    let own = sessionFields.filter { $0.name.hasPrefix(prefix) }
    return (own + fields(of: globals, startingWith: prefix)).filter {
      LuaQuoting.isIdentifier($0.name)
    }.map {
      Completion(
        $0.name, kind: $0.type.name, detail: StandardLibrary.entry(named: $0.name)?.summary ?? "")
    }
  }

  private func members(of kind: String, after separator: String) -> [Completion] {
    Library.members(of: kind).filter { $0.isFunction == (separator == ":") }.map {
      Completion(
        $0.shortName, kind: $0.isFunction ? "method" : "field", detail: $0.firstSentence)
    }
  }

  // MARK: Walking

  private func find(_ path: MemberPath) -> Found? {
    if path.beginsWithString {
      return path.steps.reduce(.value(.string(LuaString([])))) { found, step in
        found.flatMap { member(of: $0, step) }
      }
    }
    guard let first = path.steps.first else { return nil }
    return path.steps.dropFirst().reduce(start(first)) { found, step in
      found.flatMap { member(of: $0, step) }
    }
  }

  private func start(_ step: MemberPath.Step) -> Found? {
    if let origin = scope?.origins[step.name] {
      guard !step.isCalled else { return nil }
      switch origin {
      case .unknown: return nil
      case .string: return .value(.string(LuaString([])))
      case .table(let fields): return .fields(fields)
      // Names that a declaration uses were declared before it.
      case .path(let path): return LuaMembers(workspace).find(path)
      }
    }
    guard let value = variable(step.name) else { return nil }
    guard step.isCalled else { return .value(value) }
    return value.type == .function ? result(of: Library.moduleEntries, step) : nil
  }

  private func member(of found: Found, _ step: MemberPath.Step) -> Found? {
    switch found {
    case .fields: return nil
    case .kind(let kind): return result(of: Library.members(of: kind), step)
    case .value(let value):
      if let object = workspace.host.object(value) {
        return result(of: Library.members(of: object.kind), step)
      }
      guard let member = rawMember(step.name, of: value) else { return nil }
      guard step.isCalled else { return .value(member) }
      // Only the library documents what its functions return.
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

  private func fields(
    of value: LuaValue, startingWith prefix: String = ""
  ) -> [(name: String, type: LuaType)] {
    let prefix = Array(prefix.utf8)
    var fields: [(name: String, type: LuaType)] = []
    for table in tables(of: value) {
      _ = interpreter.withStack { stack in
        stack.push(table)
        var seen = 0
        try? stack.forEachPair(at: -1) { stack throws(LuaError) in
          seen += 1
          // Most of many names are left out, and need not become strings.
          if stack.type(at: -2) == .string,
            prefix.isEmpty || stack.withBytes(at: -2, { $0.starts(with: prefix) }) == true,
            let name = stack.string(at: -2)
          {
            fields.append((name, stack.type(at: -1)))
          }
          return seen < ValueText.Limits.usual.walk
        }
      }
    }
    return fields
  }

  /// The value itself if it is a table, then the tables that `__index` leads to; `__index`
  /// functions are not called.
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
  /// The first sentence of the description.
  var firstSentence: String {
    summary.firstRange(of: ". ").map { String(summary[..<$0.lowerBound]) + "." } ?? summary
  }
}
