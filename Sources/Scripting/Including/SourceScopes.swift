import LuaRuntime
import Platform

/// The files of commands that an interpreter has loaded: those that the program names, and those
/// that `rac.include` names. Confined to the thread of its interpreter.
struct SourceScopes {
  /// The files in the order in which they were loaded.
  private(set) var all: [SourceScope] = []
  /// The files in the order in which they were read, also those that do not compile.
  private(set) var read: [SourceScope] = []
  /// The files by the names of their chunks, once there are several: a program's first dictionary is
  /// expensive.
  private var byChunk: [String: Int] = [:]
  /// The paths of the files to include that were missing, which may be made later.
  private(set) var missing: [String] = []
  /// True once a file was included.
  private(set) var hasIncluded = false

  subscript(chunk: String) -> SourceScope? {
    if all.count > 1 { return byChunk[chunk].map { all[$0] } }
    return all.first.flatMap { "@" + $0.name == chunk ? $0 : nil }
  }

  /// Records a file that the program names.
  mutating func addOutermost(_ path: String, named name: String) {
    guard let state = CommandFileState(path) else { return }
    let scope = SourceScope(path: path, name: name, state: state, trail: [name])
    read.append(scope)
    add(scope)
  }

  /// Records a file that another one includes, right before it is read.
  mutating func begin(_ scope: SourceScope) { read.append(scope) }

  /// Records a file to include that is not there.
  mutating func addMissing(_ path: String) {
    if !missing.contains(path) { missing.append(path) }
  }

  /// Records a file that another one includes, once it compiles.
  mutating func addIncluded(_ scope: SourceScope) {
    hasIncluded = true
    add(scope)
  }

  private mutating func add(_ scope: SourceScope) {
    all.append(scope)
    guard all.count > 1 else { return }
    for index in (all.count == 2 ? 0 : all.count - 1)..<all.count {
      byChunk["@\(all[index].name)"] = index
    }
  }

  /// Returns the scope of a file that another one includes, before it is loaded.
  ///
  /// - Parameters:
  ///   - namespace: nil to define its commands among those of the file that includes it.
  ///   - directory: the folder that its commands work in, from that of the file that includes it; nil
  ///     for its own.
  ///   - outer: the file that includes it.
  ///   - position: the `file:line` of the call.
  func scope(
    including path: String, as namespace: String?, workingIn directory: String?,
    in outer: SourceScope?, at position: String?
  ) throws(IncludeError) -> SourceScope {
    if let namespace {
      guard !namespace.isEmpty, !namespace.contains(":"), !namespace.hasPrefix("-"),
        !namespace.keepsBytes
      else { throw .namespace(namespace) }
    }
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .path }
    let around = outer?.namespace ?? ""
    let full = namespace.map { outer?.defined($0) ?? $0 } ?? around
    let own = SourceScope.join(outer?.home ?? "", path)
    let name = SourceScope.simplified(
      SourceScope.join(outer.map { SourceScope.folder(of: $0.name) } ?? "", path))
    guard let state = CommandFileState(own) else {
      let code = errno
      let isMissing = code == ENOENT || code == ENOTDIR
      throw isMissing ? .missing(name, path: own) : .unreadable(name, reason: systemErrorText(code))
    }
    let inside = SourceScope.join(own, CommandFileName.usual)
    if access(inside, F_OK) == 0 {
      throw .unreadable(
        name,
        reason: "it is a folder; did you mean '\(SourceScope.join(path, CommandFileName.usual))'?")
    }
    // A file that includes itself is among those that lead to it.
    let trail = outer?.trail ?? []
    if let same = all.last(where: { $0.state.identity == state.identity }) {
      guard !trail.contains(same.name) else { throw .circle(trail + [name]) }
      throw .twice(name, same)
    }
    if namespace != nil, let same = all.first(where: { $0.namespace == full }) {
      throw .taken(full, same)
    }
    let home = SourceScope.folder(of: own)
    var folder = home
    if let directory {
      folder = SourceScope.simplified(SourceScope.join(outer?.folder ?? "", directory))
      if folder == "." { folder = "" }
    }
    return SourceScope(
      namespace: full, folder: folder, home: home, path: own, name: name, state: state,
      position: position, trail: trail + [name])
  }
}

/// The name of a file of commands that the program looks for.
public enum CommandFileName {
  /// The name of a file that no option names.
  public static let usual = "commands.lua"
}

/// The reason why a file cannot be included.
enum IncludeError: Error, CustomStringConvertible {
  case namespace(String)
  case path
  case missing(String, path: String)
  case unreadable(String, reason: String)
  case circle([String])
  case twice(String, SourceScope)
  case taken(String, SourceScope)

  var description: String {
    switch self {
    case .namespace(let name):
      "'\(name)' cannot be a namespace: it is a name without ':', and does not begin with '-'"
    case .path: "the path of the file to include is missing"
    case .missing(let file, _): "cannot include \(file): \(systemErrorText(ENOENT))"
    case .unreadable(let file, let reason): "cannot include \(file): \(reason)"
    case .circle(let files):
      "the files include each other in a cycle: \(files.joined(separator: " -> "))"
    case .twice(let file, let known):
      if let position = known.position {
        "\(file) is included already"
          + (known.namespace.isEmpty ? "" : ", as '\(known.namespace)'") + " at \(position)"
      } else {
        "\(file) is loaded already"
      }
    case .taken(let namespace, let known):
      "the namespace '\(namespace)' belongs to \(known.name), included at \(known.position ?? "?")"
    }
  }
}

extension ScriptHost {
  /// Returns the real path of the file that the program names, for a command that it defines itself or
  /// that a file does which it includes; nil for a command of a text from elsewhere.
  ///
  /// - Parameter position: the `file:line` of the definition.
  func realPathOfCommandFile(definingAt position: String?) -> String? {
    let chunk = position.flatMap { $0.cut(atLast: ":") }.map { "@\($0.before)" }
    let scope = chunk.flatMap { scopes[$0] }
    // A definition in a module belongs to the file that requires it.
    let outermost = scopes.all.first { $0.name == scope?.trail.first } ?? scopes.all.first
    return outermost.map { resolvedPath($0.path) ?? $0.path }
  }

  /// Returns the path of a file that another one includes, as the program reads it.
  public static func path(_ path: String, includedBy file: String) -> String {
    SourceScope.join(SourceScope.folder(of: file), path)
  }

  /// The files of commands that were read, with their states right before they were read, and those that
  /// are missing without a state.
  public var commandFiles: [(path: String, state: CommandFileState?)] {
    scopes.read.map { ($0.path, $0.state) } + scopes.missing.map { ($0, nil) }
  }

  /// Returns the file whose code is making a call of the library: the innermost running function
  /// that belongs to a file of commands. Nil if that is none that another file includes.
  func scopeOfCall() -> SourceScope? {
    guard scopes.hasIncluded else { return nil }
    return interpreter.withStack { stack in stack.firstFrame { source, _ in scopes[source] } }
      ?? nil
  }

  /// Returns the file that a definition of a command belongs to: the innermost one that is being
  /// loaded, also if the definition is in a function of another file; otherwise as `scopeOfCall`.
  func scopeOfDefinition() -> SourceScope? {
    scopes.hasIncluded ? loadingScope() ?? scopeOfCall() : nil
  }

  /// Returns the innermost file that is being loaded.
  func loadingScope() -> SourceScope? {
    interpreter.withStack { stack in
      stack.firstFrame { source, isChunk in isChunk ? scopes[source] : nil }
    } ?? nil
  }

  /// Compiles a file of commands that another one includes.
  func loadIncluded(_ scope: SourceScope) throws(LuaError) -> LuaReference {
    scopes.begin(scope)
    let chunk = try interpreter.loadFile(
      scope.path, chunkName: "@\(scope.name)", from: .regularFile)
    addModulePaths(beside: scope.path)
    scopes.addIncluded(scope)
    return chunk
  }
}
