import Commands
import EventLoop
import Journal
import LuaRuntime
import Reactive
import Scripting

/// A batch at work: entries come from a source, are claimed in a log, wait in lanes for their command
/// and for a job, are executed, and their ends are logged. On the loop's thread.
///
/// ```
/// EntrySource ──▶ ExecutionLog.claim ──▶ lanes ──▶ jobs ──▶ ExecutionLog.record
///                        └── done, or another's: skipped
/// ```
///
/// Nothing polls: work starts when an entry has come, another has ended, or a command has become
/// enabled. How many entries are fetched ahead grows with the speed at which they end, so that neither
/// the memory nor the disk's slowness matters.
final class BatchRun: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  let options: BatchOptions
  let session: Session
  let stream: EventStream
  let log: any ExecutionLog
  let tails: OutputTails
  let commands: BatchCommands
  var observers: [any BatchObserver] = []
  /// What ended the batch early.
  private(set) var problems: [String] = []
  private(set) var counts = BatchCounts()
  /// How many entries have come, and which part of the plan they are, if that can be told.
  private(set) var supplied = 0
  private(set) var fraction: Double?

  private let source: any EntrySource
  /// How many entries may be fetched and wait.
  private var window: Int
  private var isFetching = false
  private var isExhausted = false
  private(set) var isStopping = false
  private var isPumping = false
  private var isFlushed = false
  private var isFlushing = false
  private var lastNumber = 0
  private var lanes: [ObjectIdentifier: Lane] = [:]
  private let scriptLane = Lane(nil)
  /// The lanes in which something waits.
  private var busyLanes: [Lane] = []
  private var waiting = 0
  private var running: [Int: Work] = [:]
  private(set) var scripts: [ScriptRun] = []
  var needs: [String: BatchNeed] = [:]

  init(
    _ options: BatchOptions, _ source: any EntrySource, _ log: any ExecutionLog,
    _ commands: BatchCommands, _ stream: EventStream, _ tails: OutputTails, in session: Session
  ) {
    self.options = options
    self.source = source
    self.log = log
    self.commands = commands
    self.stream = stream
    self.tails = tails
    self.session = session
    window = max(32, 4 * options.jobs)
  }

  /// Whether all is done and recorded.
  var isOver: Bool { isFlushed }

  /// How many entries run, and how many were fetched and wait.
  var load: (running: Int, waiting: Int) { (running.count, waiting) }

  var runningWork: [Work] { running.values.sorted { $0.number < $1.number } }

  func start() { advance() }

  /// Starts nothing more, gives back what waits, and cancels what runs.
  func stop() {
    guard !isStopping else { return }
    isStopping = true
    isExhausted = true
    releaseWaiting()
    for work in runningWork { work.cancel() }
    advance()
  }

  /// Stops for a reason that is to be told.
  func stop(_ problem: String) {
    problems.append(problem)
    session.report.error(problem)
    stop()
  }

  private func releaseWaiting() {
    var releases: [Int64] = []
    for lane in [scriptLane] + Array(lanes.values) {
      lane.clearAlarm()
      for work in lane.removeAll() {
        if case .entry(_, let execution) = work.origin { releases.append(execution) }
      }
    }
    busyLanes = []
    waiting = 0
    if !releases.isEmpty { log.record([], releases: releases) }
  }

  // MARK: Fetching

  /// Does whatever can be done now.
  func advance() {
    pump()
    fetch()
    if !isFlushing, isExhausted, !isFetching, waiting == 0, running.isEmpty {
      isFlushing = true
      flush()
    }
  }

  private func fetch() {
    guard !isFetching, !isExhausted, waiting * 2 <= window else { return }
    isFetching = true
    let awake = session.loop.keepAlive()
    source.next(window - waiting) { [self] supply in
      onLoop(awake) { self.receive(supply) }
    }
  }

  private func receive(_ supply: Supply) {
    for problem in supply.problems {
      problems.append(problem)
      session.report.error(problem)
    }
    if supply.isLast { isExhausted = true }
    supplied += supply.entries.count
    fraction = supply.isLast ? 1 : supply.fraction
    guard !supply.entries.isEmpty, !isStopping else {
      isFetching = false
      return advance()
    }
    let awake = session.loop.keepAlive()
    log.claim(supply.entries.map(\.entry)) { [self] answer in
      onLoop(awake) { self.claimed(supply.entries, answer) }
    }
  }

  private func claimed(_ entries: [PlannedEntry], _ answer: Result<[Claim], JournalError>) {
    isFetching = false
    let claims: [Claim]
    do { claims = try answer.get() } catch { return stop(error.description) }
    // All jobs have waited for this: more is to be fetched ahead.
    if waiting == 0, running.count < options.jobs { window = min(window * 2, 2_048) }
    var releases: [Int64] = []
    for (planned, claim) in zip(entries, claims) {
      switch claim {
      case .granted(let execution):
        if isStopping { releases.append(execution) } else { admit(planned, execution) }
      case .completed(let execution):
        end(BatchResult(planned: planned, outcome: .skipped("completed as #\(execution)")))
      case .taken(let batch):
        end(BatchResult(planned: planned, outcome: .skipped("batch \(batch) has it")))
      case .repeatedName(let line, let plan):
        let place = plan == planned.entry.plan ? "line \(line)" : "\(plan):\(line)"
        let failure = Failure(
          .input,
          "the id '\(planned.entry.name ?? "")' was used on \(place) before")
        fail(planned, failure, execution: nil)
      }
    }
    if !releases.isEmpty { log.record([], releases: releases) }
    advance()
  }

  /// Puts a claimed entry into its lane.
  private func admit(_ planned: PlannedEntry, _ execution: Int64) {
    do throws(Failure) {
      let lane = try lane(of: planned)
      lastNumber += 1
      add(Work(.entry(planned, execution: execution), number: lastNumber), to: lane)
    } catch {
      fail(planned, error, execution: execution)
    }
  }

  private func lane(of planned: PlannedEntry) throws(Failure) -> Lane {
    if let problem = planned.problem { throw Failure(.input, problem) }
    if planned.entry.kind == .script { return scriptLane }
    let command = try commands.find(planned)
    return lane(of: command)
  }

  func lane(of command: ScriptCommand) -> Lane {
    if let lane = lanes[ObjectIdentifier(command)] { return lane }
    let lane = Lane(command)
    lanes[ObjectIdentifier(command)] = lane
    return lane
  }

  func add(_ work: Work, to lane: Lane) {
    if lane.isEmpty { busyLanes.append(lane) }
    lane.append(work)
    waiting += 1
  }

  /// Work that something else needs: before all entries.
  func addNeed(_ command: ScriptCommand, _ onEnd: @escaping (Failure?) -> Void) {
    lastNumber += 1
    let work = Work(.need(onEnd), number: -lastNumber)
    let lane = lane(of: command)
    if lane.isEmpty { busyLanes.append(lane) }
    lane.prepend(work)
    waiting += 1
  }

  // MARK: Starting

  private func pump() {
    guard !isPumping, !isStopping else { return }
    isPumping = true
    defer { isPumping = false }
    while running.count < options.jobs, !isStopping, let lane = nextLane() {
      let work = take(from: lane)
      execute(work, lane)
    }
  }

  /// The lane that holds the earliest work which may start.
  private func nextLane() -> Lane? {
    var best: Lane?
    for lane in busyLanes where lane.obstacle == nil {
      guard let first = lane.first else { continue }
      if let other = best?.first, other.number < first.number { continue }
      if isOpen(lane) { best = lane }
    }
    return best
  }

  private func take(from lane: Lane) -> Work {
    waiting -= 1
    let work = lane.removeFirst()
    if lane.isEmpty { busyLanes.removeAll { $0 === lane } }
    return work
  }

  private func execute(_ work: Work, _ lane: Lane) {
    work.started = secondsSince1970()
    work.startTime = EventLoop.now
    running[work.number] = work
    if let command = lane.command {
      lane.running += 1
      execute(work, by: command, lane)
    } else {
      let run = ScriptRun(work, self)
      scripts.append(run)
      run.start()
    }
  }

  private func execute(_ work: Work, by command: ScriptCommand, _ lane: Lane) {
    let input: LuaValue
    do throws(InputError) {
      input = try commands.input(of: work.entry?.entry, for: command)
    } catch {
      lane.running -= 1
      return ended(work, Failure(.input, "\(error)"))
    }
    let execution = command.execute(
      input, options: executionOptions(command), skippingNeeds: true)
    if case .notEnabled = execution.error as? CommandError {
      // The condition has changed between the question and the attempt.
      running[work.number] = nil
      lane.running -= 1
      if lane.isEmpty { busyLanes.append(lane) }
      lane.prepend(work)
      waiting += 1
      return block(lane, .condition)
    }
    work.cancel = { execution.cancel() }
    work.record = stream.follow(execution, of: command, for: work.entry?.entry)
    // After the stream's own: events come before what follows from them.
    execution.subscribe(
      error: { [self] error in
        lane.running -= 1
        ended(work, session.host.failure(of: error), in: lane)
      },
      completed: { [self] in
        lane.running -= 1
        ended(work, nil, in: lane)
      })
  }

  private func executionOptions(_ command: ScriptCommand) -> ExecutionOptions? {
    guard options.timeout != nil || options.retries != nil else { return nil }
    var result = command.policy.options
    if let timeout = options.timeout { result.timeout = timeout }
    if let retries = options.retries {
      result.retry =
        retries == 0
        ? nil
        : ExecutionOptions.Retry(
          times: retries, delay: result.retry?.delay ?? .zero, backoff: result.retry?.backoff ?? 1)
    }
    return result
  }

  // MARK: Ending

  /// Work of a lane is over.
  private func ended(_ work: Work, _ failure: Failure?, in lane: Lane) {
    if case .busy = lane.obstacle { wake(lane) }
    ended(work, failure)
  }

  /// Work is over; `failure` is nil if it completed.
  func ended(_ work: Work, _ failure: Failure?) {
    guard running.removeValue(forKey: work.number) != nil else { return }
    askPredicates()
    switch work.origin {
    case .need(let onEnd): onEnd(failure)
    case .entry(let planned, let execution):
      let (output, attempts) = work.record.map { tails.take($0) } ?? ([], 1)
      let outcome: BatchResult.Outcome
      if let failure {
        outcome = failure.kind == .cancelled ? .cancelled : .failed(failure)
        if work.record == nil { tell(planned, failure) }
      } else {
        outcome = .completed
      }
      counts.retries += attempts - 1
      conclude(
        BatchResult(
          planned: planned, outcome: outcome, execution: execution, started: work.started,
          duration: (EventLoop.now - work.startTime) / .seconds(1), attempts: attempts,
          output: output))
    }
    advance()
  }

  /// Ends an entry that was not executed.
  func fail(_ planned: PlannedEntry, _ failure: Failure, execution: Int64?) {
    tell(planned, failure)
    let result = BatchResult(planned: planned, outcome: .failed(failure), execution: execution ?? 0)
    if execution == nil { end(result) } else { conclude(result) }
  }

  private func tell(_ planned: PlannedEntry, _ failure: Failure) {
    let record = ExecutionRecord(
      command: planned.entry.command, id: nil, input: .nil,
      lane: stream.lane(of: planned.entry.command))
    record.entry = planned.entry
    stream.end(record, failure)
  }

  /// Records the end of a claimed entry.
  private func conclude(_ result: BatchResult) {
    log.record([ExecutionEnd(result)], releases: [])
    end(result)
  }

  private func end(_ result: BatchResult) {
    counts.count(result.outcome)
    for observer in observers { observer.ended(result) }
    if case .failed = result.outcome, options.failsFast, !isStopping {
      session.report.say("stopping after the first failure")
      stop()
    }
  }

  private func flush() {
    let awake = session.loop.keepAlive()
    log.flush { [self] answer in
      onLoop(awake) {
        if case .failure(let error) = answer {
          self.problems.append(error.description)
          self.session.report.error("\(error); what has ended since is not recorded")
        }
        self.isFlushed = true
      }
    }
  }

  private func onLoop(_ awake: KeepAlive, _ body: @escaping @Sendable () -> Void) {
    session.loop.enqueue {
      awake.release()
      body()
    }
  }

  // MARK: Dead ends

  /// Ends what can never proceed: nothing is left that could send anything.
  func endStuck() {
    let stuck = runningWork
    for work in stuck {
      let failure = Failure(.user, "waits for something that nothing can send")
      if let record = work.record { stream.end(record, failure) }
      ended(work, failure)
      work.cancel()
    }
    if !stuck.isEmpty { return }
    giveUpDisabled()
    // Whatever else waits, waits for a command that something holds which cannot end.
    for lane in busyLanes {
      failWaiting(in: lane, Failure(.user, "waits for a command that is busy and cannot end"))
    }
    advance()
  }

  /// The lanes whose command is not enabled.
  var disabledLanes: [Lane] {
    busyLanes.filter { if case .condition = $0.obstacle { true } else { false } }
  }

  /// Ends all that waits in a lane.
  func failWaiting(in lane: Lane, _ failure: Failure) {
    let works = lane.removeAll()
    waiting -= works.count
    busyLanes.removeAll { $0 === lane }
    for work in works {
      switch work.origin {
      case .need(let onEnd): onEnd(failure)
      case .entry(let planned, let execution): fail(planned, failure, execution: execution)
      }
    }
  }

  /// Scripts whose top level has ended are over when nothing is left that they started.
  func turn() {
    guard !scripts.isEmpty else { return }
    for script in scripts { script.look() }
    scripts.removeAll(where: \.isGone)
  }
}
