import LuaRuntime
import Platform
import RunnerCore
import Scripting

extension Repl {
  /// Executes the files of the workspace.
  ///
  /// - Returns: true if all loaded; failures are reported.
  func load(_ files: [LoadedFile]) -> Bool {
    workspace.files = files
    var isLoaded = true
    for file in files where !execute(file) { isLoaded = false }
    return isLoaded
  }

  /// Executes one more file, which `:reload` executes again if it loads.
  func load(_ path: String) {
    let file: LoadedFile
    do { file = try LoadedFile(path) } catch { return fail(error) }
    if workspace.files.contains(where: { $0.path == file.path }) {
      return complain("\(path) is loaded already; :reload starts over from all files")
    }
    guard execute(file) else { return }
    workspace.files.append(file)
    printer.note("\(path) is loaded")
  }

  /// Executes a file until its top level ends.
  private func execute(_ file: LoadedFile) -> Bool {
    execute(file.source)
  }

  /// Executes a script until its top level ends.
  ///
  /// - Returns: true if it succeeded; a failure is reported.
  @discardableResult
  func execute(_ source: ScriptSource) -> Bool {
    do {
      // The script may fail, for which the session keeps a variable.
      try workspace.environment.prepare()
      return run(try workspace.host.evaluation(of: source)) != nil
    } catch {
      fail(error)
      return false
    }
  }

  /// Executes `$XDG_CONFIG_HOME/raclette/repl.lua`, if there is one.
  @discardableResult
  func initialize() -> Bool {
    bindings.install(in: workspace.environment, workspace.host.interpreter)
    installPrinting()
    guard let folder = ScriptHost.configurationFolder else { return true }
    let path = "\(folder)/repl.lua"
    return access(path, F_OK) != 0 || execute(.file(path))
  }

  /// Starts a fresh interpreter with the same files and reports the changed commands. If a file
  /// does not load, the session keeps its interpreter.
  func reload() {
    let old = workspace
    let before = old.host.commands.map(CommandFace.init)
    let watched = old.watches.expressions
    // The discarded workspace lives until its interpreter is closed, which ends its work.
    var fresh: Workspace?
    do {
      try session.replaceHost { host in
        let begun = try Workspace(host, printer, watches: WatchList(showing: editor))
        fresh = begun
        use(begun)
        let isInitialized = initialize()
        let isLoaded = load(old.files) && isInitialized
        if isLoaded {
          old.end()
        } else {
          begun.end()
          use(old)
          for (source, failure) in begun.errors { old.note(failure, from: source) }
        }
        return isLoaded
      }
    } catch {
      return fail(error)
    }
    guard workspace === fresh else { return printer.note("the session continues unchanged") }
    tellChanges(before, workspace.host.commands.map(CommandFace.init))
    for expression in watched { watch(expression) }
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
    printer.show(
      lines.isEmpty ? "reloaded; the commands are the same" : lines.joined(separator: "\n"))
  }
}

/// The visible properties of a command.
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
