import LuaRuntime
import RunnerBatch
import RunnerCore
import Scripting

extension Subcommand {
  static let explain: Subcommand = Subcommand(
    name: "explain", underMake: .answered, arguments: "[COMMAND [ARGS]]",
    summary: "List what has changed since commands were last up to date",
    options: [.file, .adopt, .global, .json] + Option.confinement, passesArguments: true,
    completion: .calls,
    preparing: { line in
      .session(CommandFileSession(line, confirmation: Confirmations.refuse)) { session, file in
        let reader = CallReader(session.host, file: file, asks: false)
        let calls =
          line.words.isEmpty
          ? try declaredCalls(Subcommand.explain, file, in: session)
          : [try reader.call(line.words[...])]
        return try report(on: calls, line, in: session, withChanges: true)
      }
    })

  static let status: Subcommand = Subcommand(
    name: "status", underMake: .answered, arguments: "[COMMAND [ARGS]] [:: COMMAND [ARGS]]...",
    summary: "Exit with 0 if the commands are up to date, otherwise with 1",
    options: [.file, .adopt, .global, .json] + Option.confinement, passesArguments: true,
    completion: .calls,
    preparing: { line in
      .session(CommandFileSession(line, confirmation: Confirmations.refuse)) { session, file in
        try status(line, session, file)
      }
    })

  private static func status(
    _ line: CommandLine, _ session: Session, _ file: String
  ) throws -> Int32 {
    let reader = CallReader(session.host, file: file, asks: false)
    let calls =
      line.words.isEmpty
      ? try declaredCalls(Subcommand.status, file, in: session)
      : try statusCalls(line.words, of: session.host).map(reader.call)
    return try report(on: calls, line, in: session, withChanges: false)
  }

  /// Returns calls without input of the commands that say when they are up to date.
  private static func declaredCalls(
    _ subcommand: Subcommand, _ file: String, in session: Session
  ) throws(UsageError) -> [Plan.Call] {
    let declaring = session.host.commands.filter(\.declaresUpToDate)
    let calls = declaring.compactMap { command in
      (try? command.input(from: [])).map { Plan.Call(command, $0) }
    }
    if declaring.isEmpty {
      session.report.say("no command of \(file) names sources, outputs or a fingerprint")
    } else if calls.isEmpty {
      throw .input(
        "\(declaring.map { "'\($0.name)'" }.joined(separator: ", ")) can only be asked with an "
          + "input: \(subcommand.invocation) COMMAND ARGS")
    }
    return calls
  }

  /// Returns the words of each call: of several with `::` or `:::` between them, of one with
  /// arguments, or of several that are only names.
  private static func statusCalls(
    _ words: [String], of host: ScriptHost
  ) throws(UsageError) -> [ArraySlice<String>] {
    if words.isEmpty { return [] }
    if words.allSatisfy({ host.command(named: $0) != nil }) {
      return words.indices.map { words[$0...$0] }
    }
    let calls = CallWords(words) { host.command(named: $0).map { !$0.takesNoArguments } }
    guard calls.isComplete else {
      throw .missingArgument("COMMAND", usage: Subcommand.status.usage)
    }
    return calls.calls
  }

  /// Prints for each step of the plan of some calls whether it is up to date.
  ///
  /// - Returns: with changes 0, else 0 only if all are up to date.
  private static func report(
    on calls: [Plan.Call], _ line: CommandLine, in session: Session, withChanges: Bool
  ) throws -> Int32 {
    let plan: Plan
    do { plan = try Plan(calls) } catch {
      session.report.failure(error.atPosition)
      return ExitStatus.usage
    }
    for step in plan.steps { step.command.hideSecrets(of: step.input) }
    let verdicts = session.verdicts(for: plan)
    if session.isEnding { return ExitStatus.failure }
    // A need that says nothing about it, such as one that only needs others, does not count.
    let rows = zip(plan.steps, verdicts).filter {
      $0.0.isRequested || $0.0.command.declaresUpToDate
    }
    if line.has(.json) {
      let list = rows.map { step, verdict in
        let input = (try? session.host.jsonValue(step.input)).map { $0.masked ?? $0 }
        return JSONValue.object(
          [("command", .string(step.command.name)), ("input", input ?? .null)] + verdict.fields)
      }
      try Terminal.output(json: JSONValue.list(list).text)
    } else {
      // Of all commands, those that are up to date need no explanation.
      for (step, verdict) in rows
      where !withChanges || !verdict.isUpToDate || !line.words.isEmpty {
        let call = session.host.call(of: step.command.name, step.input).visibleInLine
        let text = verdict.text(of: call, isComplete: withChanges, isVerbose: line.has(.verbose))
        try Terminal.output("\(call): \(Secrets.masked(text).visibleInMessage)\n")
      }
    }
    let isCurrent = rows.allSatisfy(\.1.isUpToDate)
    if withChanges, line.words.isEmpty, isCurrent, !rows.isEmpty {
      session.report.say(
        rows.count == 1
          ? "\(rows[0].0.command.name) is up to date" : "all \(rows.count) commands are up to date")
    }
    return withChanges || isCurrent ? ExitStatus.success : ExitStatus.failure
  }
}

extension UpToDateVerdict {
  /// How many changes are shown, unless all are asked for.
  private static let mostChanges = 20

  /// What follows the name of the command.
  ///
  /// - Parameters:
  ///   - call: the command with its input, as it could be typed.
  ///   - isComplete: true for all changes, a line each; false for the first.
  fileprivate func text(of call: String, isComplete: Bool, isVerbose: Bool) -> String {
    switch self {
    case .upToDate: return "up to date"
    case .undeclared:
      return "always executed: its definition names no sources, outputs or fingerprint"
    case .awaiting(let reason): return "not up to date" + (isComplete ? "\n  " : ": ") + reason
    case .depending(let cause): return "unknown: up to date if '\(cause)' is"
    case .unanswered(let reason): return "unknown: \(reason)"
    case .outdated(let changes):
      guard isComplete else {
        return "not up to date: " + (changes.first.map { "\($0)" } ?? "")
          + (changes.count > 1
            ? ", and \(changes.count - 1) more reason\(changes.count > 2 ? "s" : ""), which "
              + "'raclette :explain \(call)' lists" : "")
      }
      let shown = isVerbose ? changes[...] : changes.prefix(Self.mostChanges)
      let more = changes.count - shown.count
      return "not up to date" + shown.map { "\n  \($0)" }.joined()
        + (more > 0 ? "\n  and \(more) more, which -v shows" : "")
    }
  }
}
