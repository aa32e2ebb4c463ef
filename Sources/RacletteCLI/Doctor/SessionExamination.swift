import Platform
import RunnerCore
import RunnerREPL
import Scripting

/// What `raclette repl` keeps and starts.
enum SessionExamination {
  static var findings: [Finding] { [history, editor] }

  private static var history: Finding {
    let name = "history"
    let mendingVariable = "set XDG_STATE_HOME to the full path of a folder that you own"
    let variable = "XDG_STATE_HOME"
    if let given = environment(variable), ProcessEnvironment.folder(of: variable) == nil {
      return .warning(
        name, "\(variable) is ignored: '\(given)' is not a full path", mend: mendingVariable)
    }
    guard let path = HistoryFile.usualPath else {
      return .warning(
        name, "entries are not kept: neither XDG_STATE_HOME nor HOME is set", mend: "set HOME")
    }
    let file = FileState(path)
    let word = file.word
    guard file.exists else {
      guard file.isMissing else {
        return .warning(name, "cannot examine \(path): \(file.reason)", mend: mendingVariable)
      }
      if let obstacle = file.obstacle {
        return .warning(name, "none yet in \(path), and \(obstacle)", mend: mendingVariable)
      }
      return .ok(name, "none yet in \(path)")
    }
    guard file.isFile else {
      return .warning(name, "\(path) is not a regular file", mend: "move \(word) away")
    }
    guard file.isReadable, file.isWritable else {
      return .warning(
        name, "\(path) cannot be read and written", mend: "chmod u+rw \(word), as its owner")
    }
    guard !file.isReadableForOthers else {
      return .warning(name, "other users may read \(path)", mend: "chmod go= \(word)")
    }
    return .ok(name, path)
  }

  private static var editor: Finding {
    let text = environment("VISUAL") ?? environment("EDITOR") ?? "vi"
    let program = text.split(separator: " ").first.map(String.init) ?? text
    guard SystemExamination.path(ofProgram: program) == nil else { return .ok("editor", text) }
    return .warning(
      "editor", "'\(program)', which C-x C-e starts, was not found",
      mend: "set VISUAL or EDITOR to an editor that is installed")
  }
}
