import Commands
import LuaRuntime
import Platform
import Reactive

/// The source of a script's text.
public enum ScriptSource: Sendable {
  /// A file, whose first line may be `#!`, and its name in messages if that is not its path.
  case file(String, name: String? = nil)
  /// A file of commands: as `file`, but a regular file only.
  case commandFile(String, name: String? = nil)
  /// A text, and its name in messages.
  case code(String, name: String)
  /// The process's standard input.
  case standardInput

  /// The path of its file; nil if it has none.
  package var path: String? {
    switch self {
    case .file(let path, _), .commandFile(let path, _): path
    case .code, .standardInput: nil
    }
  }
}

extension ScriptSource {
  /// Its name in messages; nil for standard input.
  package var name: String? {
    switch self {
    case .file(let path, let name), .commandFile(let path, let name): name ?? path
    case .code(_, let name): name
    case .standardInput: nil
    }
  }
}

extension ScriptHost {
  /// Loads a script and runs its top level as a coroutine.
  ///
  /// - Returns: the run, as the execution of its own command; it can be cancelled like any other.
  /// - Throws: `LuaError` if the script cannot be read or does not compile.
  public func start(_ source: ScriptSource) throws -> Execution<LuaValue, LuaValue> {
    let work = try work(of: source)
    let command = Command<LuaValue, LuaValue>(scheduler: scheduler) { _ in work }
    mainCommand = command
    return command.execute(LuaValue.nil)
  }

  /// Returns the work of a script, which is no execution and has no number.
  package func work(of source: ScriptSource) throws -> Signal<LuaValue> {
    let function = try load(source)
    let arguments = arguments
    let isCommandFile = if case .commandFile = source { true } else { false }
    return Signal { [unowned(unsafe) self] observer, subscription in
      let observer = isCommandFile ? recordingListings(failingWithEndlessWait(observer)) : observer
      let run = CoroutineRun(self, observer, subscription, resultUse: .value)
      run.refuse(.droppedSignals)
      run.start(.reference(function)) { stack in
        let count = stack.ensure(arguments.count + 8) ? arguments.count : 0
        for argument in arguments.prefix(count) { stack.push(argument) }
        return count
      }
    }
  }

  func load(_ source: ScriptSource) throws(LuaError) -> LuaReference {
    switch source {
    case .file(let path, let name):
      addModulePaths(beside: path)
      scopes.addOutermost(path, named: name ?? path)
      return try interpreter.loadFile(path, chunkName: name.map { "@\($0)" })
    case .commandFile(let path, let name):
      addModulePaths(beside: path)
      scopes.addOutermost(path, named: name ?? path)
      // One that is not there has the message of any other file.
      if AdoptedFormat(ofFile: path) != nil, access(path, F_OK) == 0 {
        return try interpreter.load(adoption(of: path), chunkName: "@\(name ?? path)")
      }
      return try interpreter.loadFile(
        path, chunkName: name.map { "@\($0)" }, from: .regularFile)
    case .code(let text, let name):
      addModulePaths(beside: "./")
      return try interpreter.load(text, chunkName: "=\(name)")
    case .standardInput:
      addModulePaths(beside: "./")
      return try interpreter.loadFile("/dev/stdin", chunkName: "=stdin", from: .standardInput)
    }
  }

  /// The script that stands for a file of another tool: it takes in that file, or all of its folder.
  private func adoption(of path: String) -> String {
    let folder = path.cut(atLast: "/").map { "\($0.before)/" } ?? ""
    var files = [path]
    if policy.adoptsFolder {
      files = AdoptedFormat.files(in: folder).map { folder + $0 }
      adoptsSeveral = files.count > 1
    }
    // One line, so that each mistake has the place of the first.
    return "local rac = require('rac'); "
      + AdoptedFormat.lines(for: files).joined(separator: "; ")
  }

  /// Returns the folders that `require` searches before Lua's usual places: beside the script, then
  /// among the plugins of the project and the user.
  public static func moduleFolders(beside path: String) -> [String] {
    let folder = path.cut(atLast: "/").map { String($0.before) } ?? "."
    var folders = [folder.isEmpty ? "/" : folder, "./.raclette/plugins"]
    if let configuration = configurationFolder { folders.append("\(configuration)/plugins") }
    return folders
  }

  /// The user's configuration folder, `$XDG_CONFIG_HOME/raclette` or `~/.config/raclette`; nil if
  /// neither variable is set. A relative `XDG_CONFIG_HOME` is ignored.
  public static var configurationFolder: String? {
    if let base = ProcessEnvironment.folder(of: "XDG_CONFIG_HOME") { return "\(base)/raclette" }
    return environmentVariable("HOME").map { "\($0)/.config/raclette" }
  }

  func addModulePaths(beside path: String) {
    let folders = Self.moduleFolders(beside: path)
    var lua: [String] = []
    for folder in folders { lua += [folder + "/?.lua", folder + "/?/init.lua"] }
    interpreter.packagePath = Self.searchPath(lua, before: interpreter.packagePath)
    let libraries = folders.map { $0 + "/?.so" }
    interpreter.packageCPath = Self.searchPath(libraries, before: interpreter.packageCPath)
  }

  /// Returns a search path that begins with some places, without duplicates.
  private static func searchPath(_ places: [String], before path: String) -> String {
    // Every start of the program runs this, and splits nothing.
    var result = ""
    for place in places {
      result += place
      result += ";"
    }
    var rest = path[...]
    while !rest.isEmpty {
      let end = rest.utf8.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
      // A substring would be appended character by character.
      let known = String(rest[..<end])
      if !known.isEmpty, !places.contains(known) {
        result += known
        result += ";"
      }
      rest = end == rest.endIndex ? "" : rest[rest.utf8.index(after: end)...]
    }
    result.removeLast()
    return result
  }
}

/// Returns a variable of the process's environment; nil if unset or empty.
func environmentVariable(_ name: String) -> String? {
  ProcessEnvironment.value(of: name).flatMap { $0.isEmpty ? nil : $0 }
}
