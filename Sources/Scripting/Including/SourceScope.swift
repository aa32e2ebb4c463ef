import Platform

/// A file of commands, and what the names and paths in it are relative to.
struct SourceScope: Sendable {
  /// The namespace of its commands, such as `api` or `api:db`; empty for a file that no other one
  /// includes.
  var namespace = ""
  /// The folder that its commands work in and that its paths are relative to: its own unless the call
  /// that includes it names another; empty for that of the program.
  var folder = ""
  /// Its own folder, which the files that it includes are relative to.
  var home = ""
  /// The path that the program reads.
  let path: String
  /// The path in messages, relative to the user's folder.
  let name: String
  /// The state of the file right before it was read.
  let state: CommandFileState
  /// The `file:line` of the call that includes it; nil for a file that no other one includes.
  var position: String?
  /// The paths in messages of the files that lead to it, outermost first, and its own.
  var trail: [String] = []

  /// Returns a path as the program reads it.
  func resolved(_ path: String) -> String { Self.join(folder, path) }

  /// Returns a path that the program has read in the form that the file uses.
  func relative(_ path: String) -> String {
    if path == folder { return "." }
    guard !folder.isEmpty, path.hasPrefix(folder + "/") else { return path }
    return String(path.dropFirst(folder.count + 1))
  }

  /// Returns the full name of a command that the file defines.
  func defined(_ name: String) -> String { namespace.isEmpty ? name : "\(namespace):\(name)" }

  /// Returns the full name of a command that a file of a namespace refers to. A leading colon refers to the
  /// outermost file.
  static func referred(_ name: String, in namespace: String) -> String {
    if name.hasPrefix(":") { return String(name.dropFirst()) }
    return namespace.isEmpty ? name : "\(namespace):\(name)"
  }

  /// Returns a path below a folder, unless it is absolute.
  static func join(_ folder: String, _ path: String) -> String {
    var path = path
    while path.hasPrefix("./"), path.count > 2 { path.removeFirst(2) }
    if folder.isEmpty || path.hasPrefix("/") { return path }
    return path == "." ? folder : FilePath.join(folder, path)
  }

  /// Returns a path for messages: without folders that a following `..` leaves.
  static func simplified(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      if part == "..", let last = parts.last, last != "..", !last.isEmpty {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }

  /// Returns a folder without names that a following `..` leaves; empty for that of the program.
  static func withoutDetours(_ folder: String) -> String {
    let direct = FilePath.trimmed(FilePath.direct(folder))
    return direct == "." ? "" : direct
  }

  /// Returns the folder of a path; empty for a path without one.
  static func folder(of path: String) -> String {
    let folder = FilePath.parent(of: path)
    return folder == "." ? "" : folder
  }
}

extension ScriptCommand.Description {
  /// Makes the names and paths of a definition those of the program.
  mutating func place(in scope: SourceScope) {
    namespace = scope.namespace
    // What a project executes without a name is its own choice, and not that of one it includes.
    if !namespace.isEmpty { isDefault = false }
    name = name.map(scope.defined)
    aliases = aliases.map(scope.defined)
    if case .listed(var list) = needs {
      for index in list.needs.indices { list.needs[index].refer(in: namespace) }
      needs = .listed(list)
    }
    work?.refer(in: namespace)
    guard !scope.folder.isEmpty else { return }
    environment.directory = environment.directory.map(scope.resolved) ?? scope.folder
    for index in environment.variableFiles.indices {
      environment.variableFiles[index].path =
        scope.resolved(environment.variableFiles[index].path)
    }
  }
}
