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
      try Terminal.output(command.helpText)
      return ExitStatus.success
    }
    do {
      prepared.append((command, try command.input(from: Array(words))))
    } catch {
      throw UsageError.input("\(command.name): \(error)")
    }
  }
  let run = CommandRun(session)
  for (command, input) in prepared { run.start(command, input) }
  session.wait { run.isOver }
  run.reportStuck()
  return run.status
}

private func find(
  _ name: String, in host: ScriptHost, _ file: String
) throws(UsageError) -> ScriptCommand {
  if let command = host.command(named: name) { return command }
  let names = host.commands.flatMap { [$0.name] + $0.aliases }
  throw .unknownCommand(name, file: file, nearest: nearestName(to: name, among: names))
}

/// The executions of one call of `run`, and what became of them; on the loop's thread.
private final class CommandRun: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  private let session: Session
  /// What several commands of the call need is executed once.
  private let needs = NeedsRun()
  private var count = 0
  /// The names of the commands whose executions have not ended, by the order of their start.
  private var running: [Int: String] = [:]
  private var failures: [Failure] = []

  init(_ session: Session) {
    self.session = session
    needs.onExecution = { command, execution in
      session.report.note("\(command.name) starts, as others need it")
      execution.subscribe(next: { session.print($0) })
    }
  }

  var isOver: Bool { running.isEmpty }

  /// The child's own status if the one command failed by it; else by the first failure.
  var status: Int32 {
    failures.first?.exitStatus(ofSingle: count == 1) ?? ExitStatus.success
  }

  func start(_ command: ScriptCommand, _ input: LuaValue) {
    let number = count
    count += 1
    running[number] = command.name
    session.report.note("\(command.name) starts")
    command.execute(input, in: needs).subscribe(
      next: { [self] value in session.print(value) },
      error: { [self] error in
        guard running.removeValue(forKey: number) != nil else { return }
        var failure = session.host.failure(of: error)
        // The message of a need that failed names it; who asked for it stands in front.
        if failure.kind == .dependency { failure.command = nil }
        failure.command = failure.command ?? command.name
        failures.append(failure)
        // Why the run ends early was told already.
        if !(session.isEnding && failure.kind == .cancelled) { session.report.failure(failure) }
      },
      completed: { [self] in
        running[number] = nil
        session.report.note("\(command.name) is done")
      })
  }

  /// Executions that can never end have failed too.
  func reportStuck() {
    guard !isOver, !session.isEnding else { return }
    for (_, name) in running.sorted(by: { $0.key < $1.key }) {
      var failure = Failure(.user, "waits for something that nothing can send")
      failure.command = name
      failures.append(failure)
      session.report.failure(failure)
    }
    running = [:]
  }
}
