import Commands
import LuaRuntime
import Scripting

extension Subcommand {
  static let run: Subcommand = Subcommand(
    name: "run", arguments: "COMMAND [ARGS] [::: COMMAND [ARGS]]...",
    summary: "Execute commands of a command file", options: [.file], passesArguments: true
  ) { line in
    let calls = line.words.split(separator: ":::", omittingEmptySubsequences: false)
    guard !line.words.isEmpty, calls.allSatisfy({ !$0.isEmpty }) else {
      throw UsageError.missingArgument("COMMAND", usage: Subcommand.run.usage)
    }
    return try CommandFileSession(line).use { session, file in
      try runCommands(calls.map(Array.init), in: session, file)
    }
  }
}

/// Executes the commands side by side and waits for all of them.
private func runCommands(
  _ calls: [[String]], in session: Session, _ file: String
) throws -> Int32 {
  var prepared: [(command: ScriptCommand, input: LuaValue)] = []
  for call in calls {
    let command = try find(call[0], in: session.host, file)
    let words = call.dropFirst()
    if words.prefix(while: { $0 != "--" }).contains("--help") {
      Terminal.output(command.helpText)
      return ExitStatus.success
    }
    do {
      prepared.append((command, try command.input(from: Array(words))))
    } catch {
      throw UsageError.input("\(command.name): \(error)")
    }
  }
  let run = CommandRun(session, count: prepared.count)
  for (command, input) in prepared { run.start(command, input) }
  session.wait { run.isOver }
  run.reportStuck()
  return run.status
}

private func find(
  _ name: String, in host: ScriptHost, _ file: String
) throws(UsageError) -> ScriptCommand {
  if let command = host.command(named: name) { return command }
  throw .unknownCommand(
    name, file: file, nearest: nearestName(to: name, among: host.commands.map(\.name)))
}

/// The executions of one call of `run`, and what became of them; on the loop's thread.
private final class CommandRun: @unchecked Sendable {
  private let session: Session
  private let count: Int
  private var ended = 0
  private var failures: [Failure] = []

  init(_ session: Session, count: Int) {
    self.session = session
    self.count = count
  }

  var isOver: Bool { ended == count }

  /// The child's own status if the one command failed by it; else by the first failure.
  var status: Int32 {
    if let signal = session.interruption { return session.status(of: signal) }
    guard let first = failures.first else {
      return session.hasUnhandledFailures || session.outputFailed
        ? ExitStatus.failure : ExitStatus.success
    }
    return first.exitStatus(ofSingle: count == 1)
  }

  func start(_ command: ScriptCommand, _ input: LuaValue) {
    session.report.note("\(command.name) starts")
    let execution = command.execute(input)
    execution.subscribe(
      next: { [self] value in session.print(value) },
      error: { [self] error in
        var failure = session.host.failure(of: error)
        failure.command = failure.command ?? command.name
        failures.append(failure)
        if session.interruption == nil { session.report.failure(failure) }
        ended += 1
      },
      completed: { [self] in
        session.report.note("\(command.name) is done")
        ended += 1
      })
  }

  /// Executions that can never end have failed too.
  func reportStuck() {
    guard !isOver, session.interruption == nil else { return }
    let failure = Failure(.user, "a command waits for something that nothing can send")
    failures.append(failure)
    session.report.failure(failure)
  }
}

extension Failure {
  /// The exit status that tells this failure, by the contract.
  func exitStatus(ofSingle isSingle: Bool) -> Int32 {
    switch kind {
    case .exit: isSingle ? code ?? ExitStatus.failure : ExitStatus.failure
    case .notEnabled: ExitStatus.notEnabled
    case .timeout: ExitStatus.timeout
    case .input: ExitStatus.usage
    default: ExitStatus.failure
    }
  }
}
