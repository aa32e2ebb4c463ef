import LuaRuntime
import Platform
import RunnerCore
import Scripting

/// The folders in which `require` looks for modules.
enum ModuleExamination {
  /// - Parameter file: the command file; nil if there is none.
  static func findings(beside file: String?) -> [Finding] {
    let interpreter: LuaInterpreter
    do { interpreter = try LuaInterpreter() } catch {
      return [.problem("interpreter", error.message, mend: "raise the limits of memory and timers")]
    }
    let templates = [interpreter.packagePath, interpreter.packageCPath].flatMap {
      $0.split(separator: ";").map(String.init)
    }
    let own = ScriptHost.moduleFolders(beside: file ?? CommandFile.name)
    // Lua's own path ends with a file that could hold all modules.
    let fixed = templates.filter { !$0.contains("?") && !$0.hasSuffix("/loadall.so") }
    let paths = [("LUA_PATH", interpreter.packagePath), ("LUA_CPATH", interpreter.packageCPath)]
    return folders(own.map { absolute($0, file) } + templates.compactMap(folder)).map(finding)
      + fixed.map {
        .warning("\($0)", "a place without '?' is one file for every module", mend: mendingPath)
      }
      + paths.filter(\.1.isEmpty).map { name, _ in
        .warning(
          name, "is set and empty, so 'require' does not look where modules are installed",
          mend: "unset \(name) \(name)_5_4")
      }
  }

  private static let mendingPath = "write LUA_PATH and LUA_CPATH as '/folder/?.lua;;'"

  /// A folder of the project as seen from here: commands run in the folder of their file.
  private static func absolute(_ folder: String, _ file: String?) -> String {
    guard folder.hasPrefix("./"), let file else { return folder }
    let project = CommandFile.split(file).directory
    return project == "." ? folder : "\(project)/\(folder.dropFirst(2))"
  }

  /// The folder of a template such as `/usr/share/lua/5.4/?.lua`.
  private static func folder(_ template: String) -> String? {
    guard let (before, _) = template.cut(atFirst: "?") else { return nil }
    return before.isEmpty || before == "./" ? "." : String(before.dropLast())
  }

  private static func folders(_ all: [String]) -> [String] {
    all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private static func finding(_ folder: String) -> Finding {
    let state = FileState(folder)
    let word = state.word
    if state.isMissing { return .ok(folder, "not there") }
    guard state.exists else {
      return .warning(folder, "cannot be examined: \(state.reason)", mend: nil)
    }
    guard state.isFolder else {
      return .warning(folder, "is not a folder", mend: "move \(word) away")
    }
    guard let names = names(inFolder: folder), access(folder, X_OK) == 0 else {
      return .warning(folder, "cannot be read", mend: "chmod +rx \(word), as its owner")
    }
    guard !state.isWritableForAll else {
      return .warning(
        folder, "every user may put modules there, which 'require' executes",
        mend: "chmod o-w \(word)")
    }
    let count = names.count {
      $0.hasSuffix(".lua") || $0.hasSuffix(".so")
        || access("\(folder)/\($0)/init.lua", F_OK) == 0
    }
    return .ok(folder, count == 1 ? "1 module" : "\(count == 0 ? "no" : "\(count)") modules")
  }
}
