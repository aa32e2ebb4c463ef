import LuaRuntime
import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Subcommand {
  static let run: Subcommand = Subcommand(
    name: "run", arguments: "COMMAND [ARGS] [::: COMMAND [ARGS]]...",
    summary: "Execute commands of a command file", options: [.file] + Option.running,
    passesArguments: true
  ) { line in
    let calls = line.words.split(separator: ":::", omittingEmptySubsequences: false)
    guard !line.words.isEmpty, calls.allSatisfy({ !$0.isEmpty }) else {
      throw UsageError.missingArgument("COMMAND", usage: Subcommand.run.usage)
    }
    if line.has(.json) { Terminal.reserveOutput() }
    return try CommandFileSession(line).use { session, file in
      let reader = CallReader(session.host, file: file, asks: !line.has(.json))
      if let command = try reader.helpWanted(in: calls) {
        try Terminal.output(command.helpText)
        return ExitStatus.success
      }
      let plan: Plan
      do {
        plan = try Plan(try calls.map(reader.call), skippingNeeds: line.has(.noDeps))
      } catch let failure as Failure {
        session.report.failure(failure.atPosition)
        return failure.exitStatus(ofSingle: false)
      }
      return try execute(plan, line, in: session)
    }
  }

  private static func execute(
    _ plan: Plan, _ line: CommandLine, in session: Session
  ) throws -> Int32 {
    let stream = EventStream(session.host, [renderer(plan, line, in: session)])
    session.onFinish = { stream.finish(exitCode: $0) }
    stream.send(.runStarted(plan.steps.filter(\.isRequested).map(\.command.name)))
    let options = PlanOptions(
      jobs: line.count(.jobs), keepsGoing: line.has(.keepGoing), timeout: line.duration(.timeout))
    let run = CommandRun(session, plan, options, stream)
    session.onInterrupt = { run.cancel() }
    run.start()
    session.wait { run.isOver }
    run.endStuck()
    return run.status
  }

  private static func renderer(
    _ plan: Plan, _ line: CommandLine, in session: Session
  ) -> any EventRenderer {
    if line.has(.json) { return JSONRenderer(session.output, session.host) }
    let isParallel = plan.steps.count > 1
    var style = LayoutStyle(
      values: Style(option: line[.color], descriptor: STDOUT_FILENO), errors: session.report.style)
    style.values.passOn()
    style.names = plan.steps.map(\.command.name)
    style.hasHeadings = isParallel && !session.report.isQuiet
    style.isGitHub = isParallel && session.report.isGitHub
    let mode =
      line[.output].flatMap(OutputMode.init) ?? (style.isGitHub ? .group : .interleave)
    return TextRenderer(mode.layout(session.output, style), session.output, session.report) {
      session.isEnding
    }
  }
}

extension Option {
  /// What concerns the execution of commands.
  static let running: [Option] = [
    .jobs, .keepGoing, .dryRun, .timeout, .noDeps, .output, .json, .memoryLimit,
  ]
}

extension Failure {
  /// The failure with its place in front of the message.
  var atPosition: Failure {
    var failure = self
    if let position { failure.message = "\(position): \(message)" }
    return failure
  }
}
