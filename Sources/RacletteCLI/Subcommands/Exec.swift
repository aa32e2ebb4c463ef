import LuaRuntime
import RunnerCore
import RunnerREPL
import Scripting

extension Subcommand {
  static let exec: Subcommand = Subcommand(
    name: "exec", underMake: .leftOut, arguments: "SCRIPT.lua|- [ARGS]",
    summary: "Execute a Lua script; with -e, code from the command line",
    options: [.code, .interactive, .resource, .yes, .force] + Option.confinement,
    passesArguments: true, completion: .files
  ) { line in
    if let code = line[.code] {
      return try executeScript(.code(code, name: "(command line)"), "-e", line.words, line)
    }
    guard let script = line.words.first else {
      throw UsageError.missingArgument("SCRIPT.lua", usage: Subcommand.exec.usage)
    }
    let source: ScriptSource = script == "-" ? .standardInput : .file(script)
    return try executeScript(source, script, Array(line.words.dropFirst()), line)
  }
}

private func executeScript(
  _ source: ScriptSource, _ name: String, _ arguments: [String], _ line: CommandLine
) throws -> Int32 {
  try line.enterDirectory()
  if line.has(.interactive) { return try Repl.afterExecuting(source, name, arguments, line) }
  let session = try Session(
    scriptName: name, arguments: arguments, line: line,
    confirmation: Confirmations(line, asks: true).confirm)
  return try session.use {
    defer { session.host.reportUnreceivedErrors() }
    let failure = session.execute(source)
    guard let failure else {
      session.drain()
      session.settle()
      return ExitStatus.success
    }
    if !session.isEnding { session.report.failure(failure) }
    session.settle()
    return failure.isLoadFailure ? ExitStatus.commandFileError : failure.exitStatus(ofSingle: false)
  }
}
