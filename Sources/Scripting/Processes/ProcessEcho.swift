import LuaRuntime
import Platform

/// The echo of what starts, which the runner shows with `-v`.
extension ScriptHost {
  /// Reports a process that starts.
  func echo(_ options: ProcessOptions, for execution: ScriptExecution?) {
    guard !observers.ofStarts.isEmpty else { return }
    observers.starts(options.typed, for: execution?.scriptCommand.name)
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
    // With `-ec`, the name of the command follows the line.
    if let line = shellLine, argv.count == (words[1] == "-ec" ? 4 : 3) { return line }
    return words.map(\.quotedForShell).joined(separator: " ")
  }

  /// The line that a shell executes; nil for another program.
  var shellLine: String? {
    guard words.count >= 3, words[0] == "/bin/sh", words[1] == "-c" || words[1] == "-ec" else {
      return nil
    }
    return words[2]
  }
}
