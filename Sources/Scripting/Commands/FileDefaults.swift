import LuaRuntime
import Platform

/// The keys that the commands of a file have unless they say otherwise: the tables of `rac.defaults`, by
/// the path of the file; that of everything that belongs to no file of commands is empty. Confined to the
/// loop's thread.
struct FileDefaults {
  private var tables: [String: LuaReference] = [:]

  var isEmpty: Bool { tables.isEmpty }

  /// Adds the keys of the table at argument 1 for the commands that follow in the file.
  static func add(_ call: APICall) throws {
    let (host, stack) = (call.host, call.stack)
    var problems = DefinitionProblems(host)
    try problems.lookForUnknownKeys(in: TableFields(stack, at: 1), of: Library.defaults)
    let key = host.fileOfDefinition
    stack.newTable()
    let table = stack.top
    if let known = host.fileDefaults.tables[key] {
      stack.push(known)
      copy(from: stack.top, to: table, stack) { _ in true }
      stack.pop()
    }
    try set(from: 1, to: table, stack)
    // What is wrong is told here alone, and not at each command.
    problems.areAlwaysFatal = true
    let fields = TableFields(stack, at: table)
    host.declaredResources.add(
      try Resources(fields, "resources", problems), depth: host.depthOfDefinition)
    host.policy.resources.offer(host.declaredResources.amounts)
    // What is offered is no key of commands.
    for name in fields.names where name == "resources" || !Library.defaults.keys.contains(name) {
      stack.pushNil()
      stack.rawSet(name, at: table)
    }
    _ = try CommandEnvironment(fields, problems)
    _ = try CommandPolicy(fields, problems)
    host.fileDefaults.tables[key] = stack.reference(.table, at: table)
  }

  /// Replaces the definition at argument 1 by one that has what it does not say itself.
  static func apply(to call: APICall) throws {
    let (host, stack) = (call.host, call.stack)
    guard !host.fileDefaults.isEmpty, let known = host.fileDefaults.tables[host.fileOfDefinition]
    else { return }
    let top = stack.top
    stack.newTable()
    let table = stack.top
    stack.push(known)
    // Of the two kinds of terminal a command has the one that it asks for itself.
    let given = TableFields(stack, at: 1)
    let excluded =
      given["interactive"] == .bool(true)
      ? "tty" : given["tty"] == .bool(true) ? "interactive" : nil
    copy(from: stack.top, to: table, stack) { $0 != excluded }
    try set(from: 1, to: table, stack)
    stack.copy(from: table)
    stack.replace(at: 1)
    stack.top = top
  }

  private static func copy(
    from source: Int, to table: Int, _ stack: LuaStack, _ isCopied: (String) -> Bool
  ) {
    let names = TableFields(stack, at: source).names
    for name in names where isCopied(name) {
      stack.rawGet(name, at: source)
      stack.rawSet(name, at: table)
    }
  }

  /// Sets the fields of a table in another one: `false` takes a default away, and variables are added to
  /// those of the default.
  private static func set(from source: Int, to table: Int, _ stack: LuaStack) throws {
    let defaults = Library.defaults.keys
    try stack.forEachPair(at: source) { stack throws(LuaError) in
      let top = stack.top
      defer { stack.top = top }
      guard let name = stack.string(at: -2), defaults.contains(name) else {
        stack.copy(from: top - 1)
        stack.copy(from: top)
        try stack.rawSet(at: table)
        return true
      }
      if stack.value(at: -1) == .bool(false), name != "tty", name != "interactive" {
        stack.pushNil()
      } else if name == "env", stack.type(at: -1) == .table,
        TableFields(stack, at: table).type("env") == .table
      {
        stack.newTable()
        let merged = stack.top
        stack.rawGet("env", at: table)
        copy(from: stack.top, to: merged, stack) { _ in true }
        copy(from: top, to: merged, stack) { _ in true }
        stack.copy(from: merged)
      }
      stack.rawSet(name, at: table)
      return true
    }
  }
}

extension ScriptHost {
  /// The path of the file of commands that a definition belongs to: of the innermost one that is being
  /// loaded, or that has the function which defines; empty if there is none.
  fileprivate var fileOfDefinition: String {
    let scope =
      loadingScope()
      ?? interpreter.withStack { stack in stack.firstFrame { source, _ in scopes[source] } } ?? nil
    return scope?.path ?? ""
  }

  /// How many files include the one whose code is called.
  fileprivate var depthOfDefinition: Int { max(0, (loadingScope()?.trail.count ?? 1) - 1) }
}
