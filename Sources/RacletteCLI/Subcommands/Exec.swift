import Commands
import LuaRuntime
import Platform
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
    confirmation: Confirmations(line, asks: true).confirm, project: source.path)
  return try session.use {
    defer { session.host.reportUnreceivedErrors() }
    let executions = FirstExecution()
    session.host.add(ofExecutions: executions)
    let failure = session.execute(source)
    guard let failure else {
      session.drain()
      session.settle()
      if !executions.hasBegun, !session.host.hasStartedProcesses, !Terminal.hasPrinted,
        !session.isEnding
      {
        try session.tellIdleCommands(of: source, arguments)
      }
      return ExitStatus.success
    }
    if !session.isEnding { session.report.failure(failure) }
    session.settle()
    return failure.isLoadFailure ? ExitStatus.commandFileError : failure.exitStatus(ofSingle: false)
  }
}

/// Notes whether a command has been executed.
private final class FirstExecution: ExecutionObserver {
  private(set) var hasBegun = false

  func hostExecutes(
    _ execution: Execution<LuaValue, LuaValue>, of command: ScriptCommand, within origin: Int
  ) -> Bool {
    hasBegun = true
    return false
  }
}

extension Session {
  /// Reports that a script has defined commands, and has neither executed one, nor started a process, nor
  /// printed anything: it was probably meant as a command file.
  ///
  /// - Throws: `UsageError` if the first argument names one of the commands, and the script has certainly
  ///   done nothing else.
  fileprivate func tellIdleCommands(of source: ScriptSource, _ arguments: [String]) throws {
    let count = host.commands.count
    guard count > 0, case .file(let path, _) = source else { return }
    let problem =
      "\(path) defines \(count) \(count == 1 ? "command" : "commands") and executes none"
    let call = "raclette -f \(path.quotedForShell)"
    let isNamed = arguments.first.map { host.command(named: $0) != nil } ?? false
    guard let word = arguments.first, let meant = isNamed ? word : host.commandMeant(by: word)
    else { return report.say("\(problem); '\(call) COMMAND' executes one") }
    let words = ([meant] + arguments.dropFirst()).map(\.quotedForShell).joined(separator: " ")
    let text = "\(problem); '\(call) \(words)' executes '\(meant)'"
    guard isNamed, LoadedTexts(of: host).areIdle else { return report.say(text) }
    throw UsageError.input(text)
  }
}
