import EventLoop
import Journal
import Platform
import RunnerBatch
import RunnerCore
import Scripting

/// A call of `batch` or `retry` whose journal is on a server: hands the entries over, and unless
/// `--submit` is given, executes some of them itself and follows the batch to its end.
package struct ServerBatch {
  private let line: CommandLine
  private let address: ServerAddress
  /// The plans, as the reports name them.
  private let plans: [String]
  /// The folder of the call; relative paths of plans and scripts start there.
  private let folder: String
  private let reports: BatchReports
  private let key: QueueKey?

  package init(
    _ line: CommandLine, _ address: ServerAddress, plans: [String]
  ) throws(UsageError) {
    self.line = line
    self.address = address
    self.plans = plans
    folder = currentFolder() ?? "."
    try line.checkBatch(plans, journal: nil)
    if line.has(.submit), let option = [Option.summary, .junit].first(where: { line.has($0.name) })
    {
      throw .input("--\(option.long) needs the end of the batch, for which --submit does not wait")
    }
    reports = try BatchReports(line, plans: plans)
    key = try QueueKey(line)
  }

  /// Executes plans.
  package func execute() throws -> Int32 {
    let needsCommands = !plans.allSatisfy { $0.hasSuffix(".lua") }
    return try execute(needsCommands: needsCommands) { digests in
      let spool = try PlanSpool(plans, digests)
      return (spool.scripts(), spool.reader)
    }
  }

  /// Executes the entries of a source.
  ///
  /// - Parameters:
  ///   - needsCommands: true if entries may name commands.
  ///   - makeSource: returns the paths of the scripts among the entries, and the entries.
  package func execute(
    needsCommands: Bool,
    _ makeSource: (PlanDigests) throws -> (scripts: [String], entries: any EntrySource)
  ) throws -> Int32 {
    let file = needsCommands || line.namesCommandFile ? try line.commandFile() : nil
    if let file {
      do { try CommandFile.enter(CommandFile.split(file).directory) } catch {
        throw CommandFileError(message: "cannot read \(file): \(error.reason)")
      }
    }
    let name = file.map { CommandFile.split($0).name }
    let digests = PlanDigests(commandFile: name, folder: folder)
    let session = try Session(
      scriptName: file ?? "", arguments: [], line: line,
      confirmation: Confirmations(line, asks: false).confirm)
    let result = Once<Int32>()
    let status = try session.use {
      if let file, let name { try session.load(name, named: file) }
      if session.isEnding { return ExitStatus.failure }
      try line.rejectReports(overEnvironmentFilesOf: session.host, in: folder)
      let (scripts, source) = try makeSource(digests)
      let root = currentFolder() ?? "."
      var collection = BundleCollection(root: root)
      if let name { try collection.add(commandFile: name, of: session) }
      var places: [String: String] = [:]
      for script in scripts {
        let path = digests.absolute(script)
        guard access(path, R_OK) == 0 else { continue }
        places[script] = try collection.add(script: path) ?? script
      }
      for pattern in line.all(.bundle) { try collection.add(pattern: pattern) }
      let checks = EntryChecks(
        BatchCommands(host: session.host, file: file, digests: digests), scripts: places, key: key)
      let trace = try session.makeTrace(line, named: "raclette batch")
      trace?.begin(plans)
      let link = ServerLink(address, on: session.loop)
      link.report(to: session.report)
      defer { link.close() }
      let submission = Submission(
        link, on: session.loop, try collection.finish(commandFile: name),
        description(within: trace, root: root), source, checks)
      let code = try run(submission, link, session)
      trace?.end(exitCode: code)
      result.value = code
      return code
    }
    return max(status, result.value ?? status)
  }

  /// - Parameter root: the folder of the command file, in which `retry` looks for it.
  private func description(within trace: Trace?, root: String) -> Submission.Description {
    let options = BatchOptions(line)
    let place = trace.map { (Option.traceParent.name, $0.parent(ofProcessIn: nil)) }
    return Submission.Description(
      plans: plans, folder: root,
      options: EntryOptions.text(of: line, and: place.map { [$0] } ?? []),
      failsFast: options.failsFast, enabledTimeout: options.enabledTimeout / .seconds(1),
      isResumption: line.has(.resume))
  }

  private func run(
    _ submission: Submission, _ link: ServerLink, _ session: Session
  ) throws -> Int32 {
    reports.removeOld()
    let failure = Once<Error>()
    link.onFailure = {
      failure.value = $0
      submission.abandon()
    }
    return line.has(.submit)
      ? try submit(submission, session, failure) : try follow(submission, link, session, failure)
  }

  // MARK: Handing over

  private func submit(
    _ submission: Submission, _ session: Session, _ failure: Once<Error>
  ) throws -> Int32 {
    var batch: Int64 = 0
    var skipped = 0
    var isOver = false
    submission.onBegin = { batch = $0 }
    submission.onSkip = { _, _ in skipped += 1 }
    submission.onFlaw = { entry, problem in
      session.report.error("\(entry.plan):\(entry.line): \(problem)")
    }
    session.onInterrupt = { submission.stop() }
    submission.start { error in
      if let error { failure.value = error }
      isOver = true
    }
    session.wait { isOver || failure.value != nil }
    if let error = failure.value { throw error }
    for problem in submission.problems { session.report.error(problem) }
    tellAwaited(submission, session.report)
    let count = submission.count
    if line.has(.json) {
      let fields: [(String, JSONValue)] = [
        ("batch", .integer(batch)), ("entries", .integer(Int64(count))),
        ("failed", .integer(Int64(submission.flawCount))), ("skipped", .integer(Int64(skipped))),
      ]
      try Terminal.output(json: JSONValue.object(fields).text)
    } else {
      try Terminal.output("\(batch)\n")
      let left = skipped > 0 ? ", \(skipped) left out" : ""
      session.report.say(
        "\(count) \(count == 1 ? "entry" : "entries") handed over\(left); "
          + "to follow the batch: raclette :attach \(batch)")
    }
    let isWhole = submission.flawCount == 0 && submission.problems.isEmpty
    return isWhole ? ExitStatus.success : ExitStatus.failure
  }

  private func tellAwaited(_ submission: Submission, _ report: Report) {
    for (batch, count) in submission.awaited.sorted(by: { $0.key < $1.key }) {
      report.say(
        count == 1
          ? "1 entry waits for batch \(batch), which executes an equal one"
          : "\(count) entries wait for batch \(batch), which executes equal ones")
    }
  }

  // MARK: Following

  private func follow(
    _ submission: Submission, _ link: ServerLink, _ session: Session, _ failure: Once<Error>
  ) throws -> Int32 {
    var run: RemoteRun?
    var worker: OwnWorker?
    var progress: Progress?
    var hasGivenUp = false
    submission.onBegin = { batch in
      session.report.note("this is batch \(batch) on \(address.name)")
      let remote = RemoteRun(batch, link, in: session, line, reports)
      run = remote
      progress = Progress(line, remote, in: session)
      remote.start(plans)
      let own = OwnWorker(
        BatchWorker.Order(
          url: address.url, batch: batch, jobs: BatchOptions(line).jobs, key: line[.queueKey],
          collector: line[.otlp]), offers: line.all(.resource), in: session)
      own.onGivingUp = { hasGivenUp = true }
      own.start()
      worker = own
    }
    submission.onSkip = { run?.skip($0, $1) }
    session.onInterrupt = {
      submission.stop()
      guard let run else { return }
      link.send("SELECT raclette.cancel_batch($1)", [.integer(Int(run.batch))]) { answer in
        if case .failure(let error) = answer { failure.value = error }
      }
    }
    submission.start { error in
      if let error { failure.value = error }
      self.tellAwaited(submission, session.report)
    }
    session.wait { run?.isOver == true || failure.value != nil || hasGivenUp }
    run?.stop()
    progress?.stop()
    worker?.leave()
    session.wait { worker?.isRunning != true }
    if let error = failure.value ?? run?.failure { throw error }
    guard let run, let end = run.end else {
      if let run {
        session.report.say("the batch continues; to follow it: raclette :attach \(run.batch)")
      }
      return ExitStatus.failure
    }
    for problem in submission.problems { session.report.error(problem) }
    return run.conclude(
      end, session, journal: address.name, reports, problems: submission.problems)
  }
}
