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
  private let reports: BatchReports
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
    try line.checkBatch(plans, journal: journal?.path)
    reports = try BatchReports(line, plans: plans)
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
    let name = file.map { CommandFile.split($0).name }
    if let file {
      let directory = CommandFile.split(file).directory
      do { try CommandFile.enter(directory) } catch {
        throw CommandFileError(message: "cannot read \(file): \(error.reason)")
      }
    }
    let digests = PlanDigests(commandFile: name, folder: folder)
    let session = try Session(
      scriptName: file ?? "", arguments: [], line: line,
      confirmation: Confirmations(line, asks: false).confirm,
      services: name.map { .hub(commandFile: $0) } ?? .own, project: name)
    let status = try session.use {
      if let file, let name { try session.load(name, named: file) }
      if session.isEnding { return ExitStatus.failure }
      try line.rejectReports(overEnvironmentFilesOf: session.host, in: folder)
      reports.removeOld()
      session.host.onExit { _ in throw BatchExit() }
      let commands = BatchCommands(host: session.host, file: file, digests: digests)
      return try execute(try makeSource(digests), commands, in: session)
    }
    return max(status, finalStatus.value ?? status)
  }

  private func execute(
    _ source: any EntrySource, _ commands: BatchCommands, in session: Session
  ) throws -> Int32 {
    let options = BatchOptions(line)
    var description = BatchDescription(
      plan: plans.joined(separator: " "), folder: folder, jobs: options.jobs)
    description.arguments += line.inherited
    let batch = try journal?.begin(description, as: line.has(.resume) ? .resumption : .batch)
    if line.has(.resume), batch == 1, let journal {
      session.report.say("'\(journal.path)' records no earlier batch: every entry is executed")
    }
    let failing = Once<(JournalError) -> Void>()
    let log: any ExecutionLog =
      journal.map {
        JournalLog($0) { [loop = session.loop] error in loop.enqueue { failing.value?(error) } }
      }
      ?? NoLog()
    let tails = OutputTails(session.output)
    let stream = EventStream(session, [session.batchRenderer(line), tails])
    reports.addNeeds(from: stream, tails, of: session.host)
    if let trace = try session.makeTrace(line, named: "raclette batch") {
      stream.add(trace)
      session.follow(by: trace)
    }
    if journal != nil { record(stream, tails, log, session.loop) }
    let run = BatchRun(options, source, log, commands, stream, tails, in: session)
    run.serialEntries = SerialEntries(jobs: line.count(.jobs))
    failing.value = { [unowned run] in run.stop(for: $0) }
    run.observers = [reports]
    let progress = Progress(line, run, in: session)
    let started = WallClock.seconds
    let startTime = EventLoop.now
    session.onFinish = { status in
      progress?.stop()
      var status = status
      let duration = (EventLoop.now - startTime) / .seconds(1)
      if let problem = reports.finishTests(started: started, duration: duration) {
        session.report.error(problem)
        status = max(status, ExitStatus.failure)
      }
      stream.finish(exitCode: status, counts: run.counts)
      do throws(JournalError) { try log.finish(status: status) } catch {
        run.note(logFailure: "the batch's end is not recorded: \(error)")
        status = max(status, ExitStatus.failure)
      }
      journal?.close()
      let end = BatchEnd(
        journal: journal?.path, batch: batch, started: started, duration: duration,
        status: status, counts: run.counts, problems: run.problems)
      if !reports.finish(end, in: session) { status = max(status, ExitStatus.failure) }
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
    run.perform()
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
        "what is left: raclette :history --failed --journal \(journal.path.quotedForShell)")
    }
    // The arguments as given, which work in the same working directory.
    if !line.has(.resume) { words.insert("--resume", at: place + 1) }
    session.report.say(
      "to continue: raclette \(words.map(\.quotedForShell).joined(separator: " "))")
  }
}
