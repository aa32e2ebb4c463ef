import LuaRuntime
import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Repl {
  /// Executes files and keeps them for `:reload`.
  ///
  /// - Returns: whether all of them loaded; failures have been told.
  func load(_ files: [LoadedFile]) -> Bool {
    var isLoaded = true
    for file in files where !load(file) { isLoaded = false }
    return isLoaded
  }

  /// Executes a file to the end of its top level.
  func load(_ file: LoadedFile) -> Bool {
    if !workspace.files.contains(file) { workspace.files.append(file) }
    return execute(.file(file.path, name: file.name))
  }

  /// Executes a script to the end of its top level.
  ///
  /// - Returns: whether it came there; a failure has been told.
  @discardableResult
  func execute(_ source: ScriptSource) -> Bool {
    do {
      return run(try workspace.host.evaluation(of: source)) != nil
    } catch {
      fail(error)
      return false
    }
  }

  /// Executes `$XDG_CONFIG_HOME/raclette/repl.lua`, if there is one.
  func initialize() -> Bool {
    let base = environment("XDG_CONFIG_HOME") ?? "\(environment("HOME") ?? "")/.config"
    let path = "\(base)/raclette/repl.lua"
    return access(path, F_OK) != 0 || execute(.file(path))
  }

  /// Starts a fresh interpreter from the same files and says what changed among the commands. If one
  /// does not load, the session goes on as it was.
  func reload() {
    let old = workspace
    let before = old.host.commands.map(CommandFace.init)
    var isLoaded = false
    do {
      try session.replaceHost { host in
        guard let fresh = try? Workspace(host, voice, watches: old.watches) else { return false }
        use(fresh)
        isLoaded = initialize() && load(old.files)
        if isLoaded {
          old.end()
        } else {
          use(old)
          old.files = fresh.files
        }
        return isLoaded
      }
    } catch {
      return fail(error)
    }
    guard isLoaded else { return voice.note("the session goes on as it was") }
    tellChanges(before, workspace.host.commands.map(CommandFace.init))
  }

  private func tellChanges(_ before: [CommandFace], _ after: [CommandFace]) {
    var lines: [String] = []
    for command in after {
      guard let old = before.first(where: { $0.name == command.name }) else {
        lines.append("+ \(command.signature)")
        continue
      }
      if old != command { lines.append("~ \(command.signature)") }
    }
    for command in before where !after.contains(where: { $0.name == command.name }) {
      lines.append("- \(command.signature)")
    }
    voice.show(
      lines.isEmpty ? "reloaded; the commands are the same" : lines.joined(separator: "\n"))
  }
}

/// What of a command is seen from outside.
private struct CommandFace: Equatable {
  let name: String
  let signature: String
  let summary: String?
  let details: String?
  let group: String?
  let aliases: [String]

  init(_ command: ScriptCommand) {
    name = command.name
    signature = command.signature
    summary = command.summary
    details = command.details
    group = command.group
    aliases = command.aliases
  }
}
