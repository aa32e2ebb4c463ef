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
    summary: "Execute commands of a command file",
    options: [.file, .interactive] + Option.running + Option.confinement,
    passesArguments: true, completion: .calls
  ) { line in
    let calls = line.words.split(separator: ":::", omittingEmptySubsequences: false)
    guard !line.words.isEmpty, calls.allSatisfy({ !$0.isEmpty }) else {
      throw UsageError.missingArgument("COMMAND", usage: Subcommand.run.usage)
    }
    if line.has(.interactive) { return try Repl.afterRunning(calls.map(Array.init), line) }
    let watched = try WatchedPaths(line)
    let journal = JournalPath.forRun(line)
    if line.has(.json) { Terminal.reserveOutput() }
    let isDryRun = line.has(.dryRun)
    return try CommandFileSession(line, rehearsal: isDryRun ? "--dry-run" : nil).use {
      session, file in
      let reader = CallReader(session.host, file: file, asks: !line.has(.json) && !isDryRun)
      if let command = try reader.helpWanted(in: calls) {
        try Terminal.output(command.helpText)
        return ExitStatus.success
      }
      let plan: Plan
      do {
        plan = try Plan(try calls.map(reader.call), skippingNeeds: line.has(.noDeps))
      } catch let failure as Failure {
        session.report.failure(failure.atPosition)
        return ExitStatus.usage
      }
      for step in plan.steps { step.command.hideSecrets(of: step.input) }
      guard isDryRun else {
        return try execute(plan, of: file, line, watched, journal, in: session)
      }
      session.awaitConditions(of: plan.steps.map(\.command))
      if session.isEnding { return ExitStatus.failure }
      let style = Style(option: line[.color], descriptor: STDOUT_FILENO)
      let text = PlanText(plan, session.host, style)
      guard line.has(.json) else {
        try Terminal.output(text.text)
        return ExitStatus.success
      }
      try Terminal.output(json: text.json.text)
      return ExitStatus.success
    }
  }

  private static func execute(
    _ plan: Plan, of file: String, _ line: CommandLine, _ watched: WatchedPaths,
    _ journal: String?, in session: Session
  ) throws -> Int32 {
    let options = PlanOptions(
      jobs: line.count(.jobs), keepsGoing: line.has(.keepGoing), timeout: line.duration(.timeout))
    var renderers = [renderer(plan, line, in: session)]
    session.statusLine = StatusLine(session.host, session.report, total: plan.steps.count)
    if let statusLine = session.statusLine { renderers.append(statusLine) }
    if let journal {
      renderers.append(try RunRecorder(journal, session.host, session.report))
    }
    let makeRun = { [renderers] in
      let stream = EventStream(session.host, renderers)
      // For programs only: it is no news to people, and thousands of commands have many.
      if line.has(.json) { stream.followConditions(of: plan) }
      return CommandRun(session, plan, options, stream)
    }
    guard watched.isEmpty else { return watch(watched.fromHere, file, makeRun, in: session) }
    let run = makeRun()
    session.onInterrupt = { run.cancel() }
    session.onFinish = { run.finish(exitCode: $0) }
    run.start()
    session.wait { run.isOver }
    run.endStuck()
    session.settle()
    return run.status
  }

  private static func watch(
    _ paths: [String], _ file: String, _ makeRun: @escaping () -> CommandRun, in session: Session
  ) -> Int32 {
    let watching = Watching(
      session, paths, file: CommandFile.split(file).name, makeRun: makeRun)
    session.onInterrupt = { watching.stop() }
    watching.start()
    session.wait { watching.isOver }
    return ExitStatus.failure
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
    .jobs, .keepGoing, .dryRun, .trust, .timeout, .conditionTimeout, .noDeps, .output, .json,
    .watch,
    .journal,
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
