import LuaRuntime
import Platform
import RunnerCore

/// The program itself and the library that it needs.
enum ProgramExamination {
  static var findings: [Finding] { [version, lua] }

  private static var version: Finding {
    let commit = Raclette.commit.isEmpty ? "an unknown commit" : "commit \(Raclette.commit)"
    let path = resolvedPath("/proc/self/exe").map { ", \($0)" } ?? ""
    return .ok("version", "\(Raclette.version), \(commit)\(path)")
  }

  private static var lua: Finding {
    let release = LuaLibrary.release
    let text = (release ?? "5.4") + (LuaLibrary.path.map { ", \($0)" } ?? "")
    guard let release, !release.hasPrefix("5.4.") else { return .ok("Lua", text) }
    return .problem(
      "Lua", text, mend: "install the shared library of Lua 5.4 (Debian: liblua5.4-0)")
  }
}
