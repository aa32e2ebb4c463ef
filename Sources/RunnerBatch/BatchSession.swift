import EventLoop
import Journal
import Platform
import RunnerCore
import Scripting

/// The error when the system cannot start more threads.
private struct ThreadError: Error, CustomStringConvertible {
  let code: Int32

  var description: String { "cannot start a thread: \(systemErrorText(code))" }
}

/// One call of `batch` or `retry`: its files, its command file and its reports.
package struct BatchSession {
  private let line: CommandLine
  /// The arguments: the plans to execute.
  private let plans: [String]
  /// The working directory of the call; relative paths start there.
  let folder: String
  private let journal: Journal?
  private let junit: JUnitReport?
  private let summary: ReportFile?
  /// The treatment of processes that killed batches have left running; nil to ignore them.
  private let leftover: Leftovers.Treatment?
  /// The exit status, including problems found when the reports were written.
  private let finalStatus = Once<Int32>()

  /// - Parameters:
  ///   - journal: the file that records the batch; nil for none.
  ///   - isRepeating: true to execute entries that were executed before and did not complete.
  package init(
    _ line: CommandLine, plans: [String], journal: Journal?, isRepeating: Bool
  ) throws {
    self.line = line
    let treatment = line[.leftover].flatMap(Leftovers.Treatment.init) ?? .end
    leftover = isRepeating ? treatment : nil
    self.journal = journal
    self.plans = plans
    folder = currentFolder() ?? "."
    if line.has(.failFast), line.has(.keepGoing) {
      throw UsageError.input("--fail-fast and --keep-going exclude each other")
    }
    try Self.rejectSharedFiles(line, plans, journal)
    junit = try line[.junit].map { path throws(UsageError) in try JUnitReport(path) }
    summary = try line[.summary].map { path throws(UsageError) in try ReportFile(path) }
  }

  /// Rejects files of which one would overwrite the other.
  private static func rejectSharedFiles(
    _ line: CommandLine, _ plans: [String], _ journal: Journal?
  ) throws(UsageError) {
    var taken = plans.filter { $0 != "-" }.map { (name: "the plan", path: $0) }
    if let journal { taken.append(("the journal", journal.path)) }
    if let file = try? line.commandFile() { taken.append(("the command file", file)) }
    try line.rejectSharedFiles([.summary, .junit], taken)
  }

  /// Rejects reports that would overwrite a file from which commands read their variables.
  private func rejectEnvironmentFiles(of host: ScriptHost) throws(UsageError) {
    for command in host.commands {
      let files = command.variableFiles.map { ("the env_file of '\(command.name)'", $0) }
      try line.rejectSharedFiles([.summary, .junit], files, in: folder)
    }
  }

  /// Executes the entries of a source.
  ///
  /// - Parameters:
  ///   - needsCommands: true if entries may name commands.
  ///   - makeSource: creates the source once the commands are known.
  package func execute(
    needsCommands: Bool, _ makeSource: (PlanDigests) throws -> any EntrySource
  ) throws -> Int32 {
    // One thread reads the plan, the other writes the journal.
    let code = checkThreads(2)
    guard code == 0 else { throw ThreadError(code: code) }
    let file = needsCommands || line.namesCommandFile ? try line.commandFile() : nil
    if let file {
      let directory = CommandFile.split(file).directory
      do { try CommandFile.enter(directory) } catch {
        throw CommandFileError(message: "cannot read \(file): \(error.reason)")
      }
    }
    let digests = PlanDigests(
      commandFile: file.map { CommandFile.split($0).name }, folder: folder)
    if line.has(.json) { Terminal.reserveOutput() }
    let session = try Session(scriptName: file ?? "", arguments: [], line: line)
    let status = try session.use {
      if let file { try session.load(CommandFile.split(file).name, named: file) }
      if session.isEnding { return ExitStatus.failure }
      try rejectEnvironmentFiles(of: session.host)
      junit?.removeOld()
      summary?.removeOld()
      session.host.onExit { _ in throw BatchExit() }
      let confirmations = Confirmations(line, asks: false)
      session.host.onConfirm = { call throws(Failure) in try confirmations.confirm(call) }
      let commands = BatchCommands(host: session.host, file: file, digests: digests)
      return try execute(try makeSource(digests), commands, in: session)
    }
    return max(status, finalStatus.value ?? status)
  }

  private func execute(
    _ source: any EntrySource, _ commands: BatchCommands, in session: Session
  ) throws -> Int32 {
    let options = options
    let batch = try journal?.begin(
      BatchDescription(plan: plans.joined(separator: " "), folder: folder, jobs: options.jobs),
      as: line.has(.resume) ? .resumption : .batch)
    let failing = Once<(JournalError) -> Void>()
    let log: any ExecutionLog =
      journal.map {
        JournalLog($0) { [loop = session.loop] error in loop.enqueue { failing.value?(error) } }
      }
      ?? NoLog()
    let tails = OutputTails(session.output)
    let stream = EventStream(session.host, [renderer(session), tails])
    if journal != nil { record(stream, tails, log, session.loop) }
    let run = BatchRun(options, source, log, commands, stream, tails, in: session)
    failing.value = { [unowned run] in run.stop(for: $0) }
    let statistics = BatchStatistics()
    run.observers = [statistics]
    if let junit { run.observers.append(junit) }
    let progress = Progress(
      line[.progress].flatMap(Progress.Mode.init) ?? .auto, run)
    let started = secondsSince1970()
    let startTime = EventLoop.now
    session.onFinish = { status in
      progress?.stop()
      var status = status
      let duration = (EventLoop.now - startTime) / .seconds(1)
      if let problem = junit?.finish(
        plans.joined(separator: " "), started: started, duration: duration)
      {
        session.report.error(problem)
        status = max(status, ExitStatus.failure)
      }
      stream.finish(exitCode: status, counts: run.counts)
      do throws(JournalError) { try log.finish(status: status) } catch {
        run.note("the batch's end is not recorded: \(error)")
      }
      journal?.close()
      let summary = BatchSummary(
        plans: plans, journal: journal?.path, batch: batch, started: started, duration: duration,
        status: status, counts: run.counts, problems: run.problems, statistics: statistics)
      if !write(summary, session) { status = max(status, ExitStatus.failure) }
      finalStatus.value = status
      if run.isStopping, !line.has(.json), !session.report.isQuiet {
        say(leftOutBy: run, session)
        say(howToGoOn: session)
      }
    }
    session.onInterrupt = { run.stop() }
    if let journal, let leftover {
      try Leftovers(in: journal, leftover).settle(in: session)
    }
    stream.send(.runStarted(plans))
    run.start()
    while !run.isOver {
      session.wait {
        run.turn()
        return run.isOver
      }
      // The loop has nothing to wait for: work that still waits can never start.
      if !run.isOver { run.endStuck() }
    }
    session.settle()
    let isComplete = run.counts.failed == 0 && run.counts.cancelled == 0 && run.problems.isEmpty
    return isComplete ? ExitStatus.success : ExitStatus.failure
  }

  /// Records executions in the journal while they run, in case they never end.
  private func record(
    _ stream: EventStream, _ tails: OutputTails, _ log: any ExecutionLog, _ loop: EventLoop
  ) {
    stream.groups = GroupRecorder(log)
    stream.onCaptured = { tails.capture($0, of: $1) }
    let timer = loop.timer(after: Self.notePeriod, every: Self.notePeriod) {
      let changes = tails.changes()
      if !changes.isEmpty { log.note { $0.outputs.merge(changes) { $1 } } }
    }
    timer.unref()
  }

  /// The maximum delay before the output of a running execution reaches the journal.
  private static let notePeriod = Duration.milliseconds(250)

  private var options: BatchOptions {
    var options = BatchOptions(
      jobs: line.count(.jobs) ?? ExecutionScheduler.defaultJobs, confinement: line)
    options.failsFast = line.has(.failFast)
    options.timeout = line.duration(.timeout)
    options.retries = line[.retries].flatMap { Int($0) }
    options.enabledTimeout = line.duration(.enabledTimeout) ?? options.enabledTimeout
    return options
  }

  private func renderer(_ session: Session) -> any EventRenderer {
    if line.has(.json) { return JSONRenderer(session.output) }
    var style = LayoutStyle(
      values: Style(option: line[.color], descriptor: STDOUT_FILENO), errors: session.report.style)
    style.values.passOn()
    style.names = session.host.commands.map(\.name)
    style.hasHeadings = !session.report.isQuiet
    style.isGitHub = session.report.isGitHub
    let mode = line[.output].flatMap(OutputMode.init) ?? (style.isGitHub ? .group : .interleave)
    return TextRenderer(mode.layout(session.output, style), session.output, session.report) {
      session.isEnding
    }
  }

  /// - Returns: true if the requested files could be written.
  private func write(_ summary: BatchSummary, _ session: Session) -> Bool {
    var isWritten = true
    if let file = self.summary {
      file.write(summary.json.text + "\n")
      if let problem = file.finish() {
        session.report.error(problem)
        isWritten = false
      }
    }
    guard !line.has(.json), !session.report.isQuiet else { return isWritten }
    let time = Duration.milliseconds(Int64(summary.duration * 1000)).shortText
    let count = summary.counts.ended
    session.report.say(
      "\(count) \(count == 1 ? "entry" : "entries") in \(time): \(summary.counts.text)")
    if count > 0 { Terminal.error(summary.statistics.table(session.report.style)) }
    return isWritten
  }

  private func say(leftOutBy run: BatchRun, _ session: Session) {
    let count = run.claimQueue.supplied - run.counts.ended
    var parts: [String] = []
    if count > 0 { parts.append("\(count) \(count == 1 ? "entry" : "entries")") }
    if run.claimQueue.fraction != 1 { parts.append("what was not read of the plan") }
    guard !parts.isEmpty else { return }
    session.report.say("not executed: " + parts.joined(separator: ", and "))
  }

  private func say(howToGoOn session: Session) {
    guard let journal else {
      return session.report.say(
        "nothing was recorded; with --journal FILE a batch can be resumed")
    }
    var words = Array(ProcessEnvironment.arguments().dropFirst())
    guard let place = words.firstIndex(of: "batch") else {
      return session.report.say(
        "what is left: raclette history --failed --journal \(journal.path.quotedForShell)")
    }
    // The arguments as given, which work in the same working directory.
    if !line.has(.resume) { words.insert("--resume", at: place + 1) }
    session.report.say(
      "to go on: raclette \(words.map(\.quotedForShell).joined(separator: " "))")
  }
}

extension CommandLine {
  /// Rejects options whose file would overwrite one that has another purpose.
  ///
  /// - Parameters:
  ///   - taken: files in use, with their purposes.
  ///   - folder: the folder to which the paths of the options are relative.
  package func rejectSharedFiles(
    _ options: [Option], _ taken: [(name: String, path: String)], in folder: String = "."
  ) throws(UsageError) {
    var taken = taken
    for option in options {
      guard let name = self[option.name] else { continue }
      let path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
      if let other = taken.first(where: { ReportFile.isSame($0.path, path) }) {
        throw .input("--\(option.long) '\(name)' is \(other.name) too")
      }
      // A script or one of its modules: the set of files is unknown before they are read.
      if path.hasSuffix(".lua"), access(path, F_OK) == 0 {
        throw .input("--\(option.long) '\(name)' is a Lua file")
      }
      taken.append(("the file of --\(option.long)", path))
    }
  }
}
