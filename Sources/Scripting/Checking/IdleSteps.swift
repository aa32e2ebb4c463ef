import LuaRuntime
import Platform

/// Steps that change nothing but their own shell, such as `cd web`, though others follow: as in make and
/// just, each step has a shell of its own.
extension ScriptCommand {
  /// A sentence about each such step.
  var notesOnIdleSteps: [String] {
    guard description.environment.shell?.isPOSIX != false else { return [] }
    return placedSteps.dropLast().compactMap { place, step in
      guard case .line(let line) = step,
        let lists = ShellScript(String(exactly: LazyText.shown(line))).lists,
        let first = lists.first,
        let change = first.changeOfShell, lists.allSatisfy({ $0.changeOfShell != nil })
      else { return nil }
      return "\(place) only changes its own shell, and the next step has another: write "
        + "\(change.remedy)'\(change.program)' and what follows it as one text"
    }
  }
}

extension ShellScript.List {
  /// The change of its shell that is all it does: the command, and what has that effect for all steps, as
  /// the beginning of an advice; nil if it does anything else.
  fileprivate var changeOfShell: (program: String, remedy: String)? {
    guard !isInBackground, let program = words.first,
      !words.contains(where: {
        ["&&", "||", "|"].contains($0) || $0.contains("$(") || $0.contains("`")
      })
    else { return nil }
    switch program {
    case "cd" where words.count < 3, "pushd":
      let path = words.count == 2 ? words[1] : ""
      let isPlain = !path.isEmpty && !path.contains { "$~{*?[`'\"\\-".contains($0) }
      return (
        program,
        "cwd = \(isPlain ? LuaLiteral.text(path, limit: .max) : "…") in the definition, or "
      )
    case "export": return (program, "env = {…} in the definition, or ")
    case "source", ".": return (program, "")
    default: return nil
    }
  }
}
