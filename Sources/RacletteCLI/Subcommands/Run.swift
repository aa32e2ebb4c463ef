import LuaRuntime
import Platform
import RunnerBatch
import RunnerCore
import RunnerREPL
import Scripting

extension Subcommand {
  static let run: Subcommand = Subcommand(
    name: "run", underMake: .answered,
    arguments: "COMMAND [ARGS] [:: COMMAND [ARGS]]... [::: COMMAND [ARGS]]...",
    summary: "Execute commands of a command file",
    options: [.file, .adopt, .global, .choose, .interactive] + Option.running + Option.confinement,
    passesArguments: true, completion: .calls,
    preparing: { line in try prepareRun(line, form: .full) })

  /// The forms in which commands are requested.
  enum RunForm {
    /// `raclette run`.
    case full
    /// `raclette COMMAND`.
    case short
    /// `raclette` alone.
    case bare
  }

  /// Executes the commands that the words name, or else the default command.
  static func run(_ line: CommandLine, form: RunForm) throws -> Int32 {
    try prepareRun(line, form: form).execute()
  }

  /// Prepares the execution of the commands that the words name, or else of the default command.
  static func prepareRun(_ line: CommandLine, form: RunForm) throws -> Work {
    let mode = MakeMode.ofCaller
    if mode == .touch { return .leftOut(by: .touch, line) }
    return try prepareRun(
      mode == nil ? line : line.without(.interactive).with(.dryRun), form: form, under: mode)
  }

  private static func prepareRun(
    _ line: CommandLine, form: RunForm, under mode: MakeMode?
  ) throws -> Work {
    var words = line.words
    let isComplete = CallWords(words) { _ in nil }.isComplete
    guard line.has(.choose) || isComplete || words.isEmpty && !line.has(.interactive) else {
      throw UsageError.missingArgument("COMMAND", usage: Subcommand.run.usage)
    }
    if line.has(.interactive) {
      return .other { [words] in try Repl.afterRunning(words, line) }
    }
    try line.checkDetached()
    let watched = try WatchedPaths(line)
    let journal = try JournalPath.forRun(line)
    let isDryRun = line.has(.dryRun)
    let asks = !line.has(.json)
    let commandFile =
      isDryRun
      ? CommandFileSession(
        line, confirmation: Confirmations.refuse, rehearsal: "--dry-run",
        timeLimit: CommandFileSession.lookingTime)
      : CommandFileSession(line, confirmation: Confirmations(line, asks: asks).confirm)
    return .session(commandFile) { session, file in
      session.reportMakeMode(mode)
      if line.has(.choose) {
        let commands = session.host.commands.filter { !$0.isPrivate }
        guard let command = try CommandChoice(commands, file: file, line).ask() else {
          return ExitStatus.ended(by: SIGINT)
        }
        words = [command.name] + line.words
      }
      let reader = CallReader(
        session.host, file: file, asks: asks && !isDryRun,
        otherNames: form == .short ? Subcommand.all.map(\.name) : [])
      if words.isEmpty {
        guard let name = try defaultCommand(of: session.host)?.name else {
          if form == .bare, line.fits(.list) { return try list(line, session, file) }
          throw UsageError.missingArgument("COMMAND", usage: Subcommand.run.usage)
        }
        words = [name]
      }
      let calls = reader.calls(in: words)
      guard calls.isComplete else {
        throw UsageError.missingArgument("COMMAND", usage: Subcommand.run.usage)
      }
      try checkWatchedPath(in: words, line, session.host)
      if let command = try reader.helpWanted(in: calls.calls) {
        try Terminal.output(command.helpText)
        return ExitStatus.success
      }
      guard let plan = try plan(calls, reader, line, in: session) else { return ExitStatus.usage }
      if session.isEnding { return ExitStatus.failure }
      if line.has(.detach), !isDryRun {
        return try HubCalls.detach(plan, line, file: file, in: session)
      }
      guard isDryRun else {
        let runs = try PlannedRuns(line, journal: journal, in: session)
        guard watched.isWanted else { return execute(runs.runs(of: plan)(), in: session) }
        return try watch(watched, file, runs, plan, in: session) {
          let reader = CallReader(session.host, file: file, asks: false)
          return try Self.plan(reader.calls(in: words), reader, line, in: session)
        }
      }
      session.awaitConditions(of: (plan.steps.map(\.call) + plan.inner).map(\.command))
      let refusals = session.refusals(in: plan)
      if session.isEnding { return ExitStatus.failure }
      let style = Style(option: line[.color], descriptor: STDOUT_FILENO)
      let verdicts =
        line.has(.force)
        ? []
        : session.verdicts(for: plan, within: CommandFileSession.lookingTime)
      if mode == .question {
        let isDone =
          !line.has(.force)
          && verdicts.allSatisfy {
            if case .upToDate = $0 { true } else { false }
          }
        return isDone ? ExitStatus.success : ExitStatus.failure
      }
      let text = PlanText(
        plan, session.host, style, verdicts, refusals: refusals,
        isUp: try session.servicesUp(for: file))
      guard line.has(.json) else {
        try Terminal.output(text.text)
        return ExitStatus.success
      }
      try Terminal.output(json: text.json.text)
      return ExitStatus.success
    }
  }

  /// Reports a word that was meant as the paths of `--watch`, which follow its `=`.
  private static func checkWatchedPath(
    in words: [String], _ line: CommandLine, _ host: ScriptHost
  ) throws(UsageError) {
    guard line[.watch] == "", let word = words.first, host.command(named: word) == nil
    else { return }
    let next = words.dropFirst().first.flatMap(host.command)
    guard next != nil || host.commandMeant(by: word) == nil else { return }
    throw .wordBehindWatch(word, command: next?.name)
  }

  /// Returns the command to execute when none is named.
  private static func defaultCommand(of host: ScriptHost) throws(UsageError) -> ScriptCommand? {
    let commands = host.defaultCommands
    guard commands.count > 1 else { return commands.first }
    let places = commands.map { "'\($0.name)'" + ($0.position.map { " (\($0))" } ?? "") }
    throw .input("these are all the default command: \(places.joined(separator: ", "))")
  }

  /// Creates the plan of calls, whose secrets are registered for masking.
  ///
  /// - Returns: nil after reporting an error.
  private static func plan(
    _ calls: CallWords, _ reader: CallReader, _ line: CommandLine, in session: Session
  ) throws -> Plan? {
    let plan: Plan
    do {
      plan = try Plan(
        sequences: try reader.sequences(of: calls), skippingNeeds: line.has(.noDeps))
    } catch let failure as Failure {
      session.report.failure(failure.atPosition)
      return nil
    }
    for call in plan.steps.map(\.call) + plan.inner { call.command.hideSecrets(of: call.input) }
    return plan
  }

  static func execute(_ run: CommandRun, in session: Session) -> Int32 {
    session.onInterrupt = { run.cancel() }
    session.onFinish = { run.finish(exitCode: $0) }
    run.start()
    session.wait { run.isOver }
    run.endStuck()
    session.settle()
    if !session.isEnding { run.reportUnreadInput() }
    return run.status
  }

  /// Executes the plan at each change of the files, with the current commands of the command file.
  ///
  /// - Parameter makePlan: creates the plan in the session's interpreter; nil if there is nothing to
  ///   run.
  private static func watch(
    _ watched: WatchedPaths, _ file: String, _ runs: PlannedRuns, _ plan: Plan,
    in session: Session, makePlan: () throws -> Plan?
  ) throws -> Int32 {
    let name = CommandFile.split(file).name
    // It is the watch that uses services, and not the round.
    let kept = KeptServices(session.host)
    runs.kept = kept
    defer { kept.end() }
    var plan: Plan? = plan
    var patterns: [[String]] = []
    var changes: [FileChange] = []
    while true {
      // Without a plan, what was watched before may be what has to change.
      patterns = plan.map(watched.patterns) ?? patterns
      let watching = Watching(
        session, patterns, files: session.commandFiles.map(\.path), plan, after: changes, runs.runs)
      session.onInterrupt = { watching.stop() }
      watching.start()
      if plan == nil { session.report.say("watching \(file)") }
      // It may have changed after it was read and before it was watched.
      if let path = session.changedCommandFile { watching.commandFileHasChanged(path) }
      session.wait { watching.isOver }
      guard watching.wantsPlan, !session.isEnding else { return ExitStatus.failure }
      changes = watching.changesForServices
      plan = nil
      do {
        let isLoaded =
          try !watching.wantsCommands
          || session.loadAnew(name, named: file) { fresh in
            kept.move(to: fresh)
            session.wait { kept.hasMoved || session.isEnding }
          }
        if isLoaded { plan = try makePlan() }
        if let plan { kept.keepOnly(plan) }
      } catch {
        session.report.error("\(error)")
      }
      // The signal has come during the load, and no other watch will hear of it.
      if session.isEnding { return ExitStatus.failure }
    }
  }
}

extension Option {
  /// The options of command execution.
  static let running: [Option] = [
    .jobs, .resource, .keepGoing, .force, .dryRun, .yes, .trust, .timeout, .conditionTimeout,
    .noDeps, .output,
    .json, .watch, .journal, .otlp, .agent, .detach,
  ]
}
