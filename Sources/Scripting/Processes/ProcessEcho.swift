import LuaRuntime
import Platform

/// The echo of what starts, which the runner shows with `-v`.
extension ScriptHost {
  /// Reports a process that starts.
  func echo(_ options: ProcessOptions, for execution: ScriptExecution?) {
    guard !observers.ofStarts.isEmpty, options.isReported else { return }
    observers.starts(options.typed, for: execution?.scriptCommand.name)
  }

  /// Reports that a process leads a group now.
  func echo(
    _ options: ProcessOptions, leading leader: Int32, since start: Duration,
    for execution: ScriptExecution?
  ) {
    guard !observers.ofStarts.isEmpty, options.isReported else { return }
    observers.began(options.typed, leader, of: execution?.origin, since: start)
  }

  /// Reports a command line that Lua's own library starts.
  func echo(line: [UInt8]) {
    guard !observers.ofStarts.isEmpty else { return }
    observers.starts(String(exactly: line), for: currentExecution?.scriptCommand.name)
  }

  /// Reports a step that is another command.
  func echo(step call: Plan.Call, for execution: ScriptExecution) {
    guard !observers.ofStarts.isEmpty else { return }
    observers.starts(
      "raclette \(self.call(of: call.command.name, call.input))",
      for: execution.scriptCommand.name)
  }

  /// Reports a step that is a function.
  func echo(function: LuaValue, for execution: ScriptExecution?) {
    guard !observers.ofStarts.isEmpty else { return }
    observers.starts(
      "function at \(placeOfFunction(function) ?? "?")", for: execution?.scriptCommand.name)
  }
}

extension ProcessOptions {
  /// The program and its arguments as they could be typed: a line of the shell as it is, words
  /// quoted where that is needed.
  var typed: String {
    switch text {
    // The name of the command may follow the line.
    case .line(let line) where arguments.count <= 1: return String(exactly: LazyText.shown(line))
    case .script(let script):
      let words = arguments.map { String(exactly: $0).quotedForShell }.joined(separator: " ")
      let shown = LazyText.shown(script.text)
      let text = String(exactly: shown.last == 10 ? shown.dropLast() : shown[...])
      return arguments.isEmpty ? text : "set -- \(words)\n\(text)"
    default: return words.map(\.quotedForShell).joined(separator: " ")
    }
  }
}
