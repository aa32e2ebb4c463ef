import EventLoop
import Journal
import Platform
import RunnerCore
import Scripting

/// Executes the entries of one batch for a worker, which hands them over and keeps the record: a
/// process of its own for the folder, the variables and the interpreter of the batch.
package enum Executor {
  /// Executes entries until standard input ends.
  package static func execute(_ line: CommandLine) throws -> Int32 {
    let folder = currentFolder() ?? "."
    let file = line.namesCommandFile ? try line.commandFile() : nil
    if let file {
      let directory = CommandFile.split(file).directory
      do { try CommandFile.enter(directory) } catch {
        throw CommandFileError(message: "cannot read \(file): \(error.reason)")
      }
    }
    let digests = PlanDigests(
      commandFile: file.map { CommandFile.split($0).name }, folder: folder)
    let session = try Session(
      scriptName: file ?? "", arguments: [], line: line,
      confirmation: Confirmations(line, asks: false).confirm, signals: [SIGTERM])
    return try session.use {
      // If this process is killed, the worker finds all that it has left.
      session.loop.adoptOrphans()
      let log = ExecutorLog(on: session.loop)
      let feed = EntryFeed()
      defer { feed.close() }
      if let file { try session.load(CommandFile.split(file).name, named: file) }
      if session.isEnding { return ExitStatus.failure }
      session.host.onExit { _ in throw BatchExit() }
      log.ready()
      let commands = BatchCommands(host: session.host, file: file, digests: digests)
      let entries = ExecutorEntries(feed, log)
      return try entries.execute(line, commands, in: session)
    }
  }
}

/// The entries that an executor holds.
private final class ExecutorEntries {
  private let feed: EntryFeed
  private let log: ExecutorLog
  private var batch: Int64 = 0
  private var worker = ""
  private var lease: Timer?
  /// True once it ends itself, which a late renewal does not stop.
  private var isExpired = false
  private let needs: NeedDesk
  private let resources: ResourceDesk
  private var held: [Int64: EntryFeed.Claimed] = [:]
  private var requests: [Int64: ExecutionRequest] = [:]
  /// Those that are to go back as soon as they have been requested.
  private var unwanted: Set<Int64> = []

  init(_ feed: EntryFeed, _ log: ExecutorLog) {
    self.feed = feed
    self.log = log
    needs = NeedDesk(log)
    resources = ResourceDesk(log)
  }

  func execute(
    _ line: CommandLine, _ commands: BatchCommands, in session: Session
  ) throws -> Int32 {
    let tails = OutputTails(session.output)
    let renderer = JSONRenderer(session.output) {
      [unowned self] type, fields, record in
      write(type, fields, record)
    }
    let stream = EventStream(session.host, [renderer, tails])
    stream.onCaptured = { tails.capture($0, of: $1) }
    let run = BatchRun(BatchOptions(line), feed, log, commands, stream, tails, in: session)
    run.onRequest = { [unowned self, unowned run] entry, request in
      requests[entry] = request
      if unwanted.contains(entry) {
        session.host.scheduler.enqueue(onLoop { self.giveBack(entry, run) })
      }
    }
    run.variables = { [unowned self] entry in variables(of: entry) }
    session.host.policy.sharedNeeds = needs
    session.host.policy.resources.pool.source = resources
    session.host.policy.processVariables = { [unowned self, unowned stream] execution in
      stream.recordedNumber(of: execution).map(variables) ?? []
    }
    if let trace = try session.makeTrace(line, named: "raclette worker") {
      stream.add(trace)
      session.follow(by: trace)
    }
    log.onEnd { [unowned self] entry in
      held[entry] = nil
      requests[entry] = nil
      unwanted.remove(entry)
    }
    try feed.read(
      on: session.loop, batch: { [unowned self] in (batch, worker) = ($0, $1) },
      delivery: { [unowned self] entry in
        held[entry.number] = entry
        log.grant(entry.number)
      },
      cancel: { [unowned self, unowned run] in cancel($0, run) },
      return: { [unowned self, unowned run] in giveBack($0, run) },
      lease: { [unowned self] in limit(to: $0, session) },
      need: { [needs] in needs.decide($0, $1) },
      grant: { [resources] in resources.grant($0, $1) })
    session.onInterrupt = { run.stop() }
    defer { lease?.cancel() }
    run.perform()
    return ExitStatus.success
  }

  private func variables(of entry: Int64) -> [EnvironmentChange] {
    guard let claimed = held[entry] else { return [] }
    return [
      ("RACLETTE_ATTEMPT", Array("\(claimed.attempt)".utf8)),
      ("RACLETTE_TOKEN", Array("\(claimed.token)".utf8)),
    ]
  }

  private func cancel(_ entry: Int64, _ run: BatchRun) {
    guard let request = requests[entry], !request.isWaiting else { return giveBack(entry, run) }
    run.scheduler.cancel(request)
    run.advance()
  }

  /// Gives an entry back unless it has begun.
  private func giveBack(_ entry: Int64, _ run: BatchRun) {
    if feed.remove(entry) { return log.record([], releases: [entry]) }
    guard let request = requests[entry] else {
      if held[entry] != nil { unwanted.insert(entry) }
      return
    }
    guard request.isWaiting else { return }
    run.withdraw(request)
    log.record([], releases: [entry])
  }

  /// Ends itself at a time, unless the worker renews it: a worker that is stopped, or hangs, cannot end
  /// what its executors run before others begin the same.
  private func limit(to deadline: Duration, _ session: Session) {
    guard !isExpired else { return }
    lease?.cancel()
    let left = deadline - BootClock.now
    guard left <= .zero else {
      // Timers stand still while the machine is suspended.
      let delay = min(left, Self.longestLook)
      lease = session.loop.timer(after: delay) { [unowned self] in limit(to: deadline, session) }
      return
    }
    isExpired = true
    log.expired()
    // The second ends the process groups.
    raise(SIGTERM)
    lease = session.loop.timer(after: .milliseconds(200)) { raise(SIGTERM) }
  }

  /// The longest time between two looks at the clock.
  private static let longestLook = Duration.milliseconds(250)

  private func write(_ type: String, _ fields: [EventJSON.Field], _ record: ExecutionRecord?) {
    let entry = record?.recordedAs ?? 0
    var fields = fields
    fields.append(("batch", "\(batch)"))
    fields.append(("worker", JSONValue.string(worker).text))
    // The attempt in this event is that inside of the execution.
    if type != "retry", let claimed = held[entry] {
      fields.append(("attempt", "\(claimed.attempt)"))
    }
    let text = EventJSON.text(type, fields)
    if EventJSON.isEnd(type), entry != 0 { log.last(entry, text) } else { log.event(entry, text) }
  }
}
