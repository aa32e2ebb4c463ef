import Commands
import EventLoop
import Journal
import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// Executes a batch: entries come from a source, are claimed in a log, are requested from a
/// scheduler, and their ends are logged. On the loop's thread.
///
/// ```
/// EntrySource ──▶ ExecutionLog.claim ──▶ ExecutionScheduler ──▶ ExecutionLog.record
///                        └── done, or claimed by another batch: skipped
/// ```
final class BatchRun {
  let options: BatchOptions
  let session: Session
  let stream: EventStream
  let log: any ExecutionLog
  let tails: OutputTails
  let commands: BatchCommands
  let claimQueue: ClaimQueue
  var observers: [any BatchObserver] = []
  /// The problems that ended the batch early.
  private(set) var problems: [String] = []
  var counts = EntryCounts()
  /// Called with each requested entry.
  var onRequest: (_ execution: Int64, ExecutionRequest) -> Void = { _, _ in }
  /// The variables of the processes of an entry.
  var variables: (_ execution: Int64) -> [EnvironmentChange] = { _ in [] }
  let scheduler: ExecutionScheduler
  var scripts: [ScriptRun] = []
  /// Finds commands that do not use the jobs that the user has asked for.
  var serialEntries = SerialEntries(jobs: nil)
  /// The states of needs that all entries of a command have alike.
  var sharedNeeds: [ObjectIdentifier: NeedsState] = [:]
  /// The commands that others may need.
  private(set) lazy var neededCommands = session.host.neededCommands
  /// What entries need whose services are used: until nothing of the entry is left, or until the
  /// batch ends if all entries of a command need the same.
  var heldNeeds: [ObjectIdentifier: NeedsState] = [:]
  /// The number of entries that have ended, of whose work something is left.
  var endingEntries = 0
  private(set) var isStopping = false
  private var isFlushing = false
  private var isFlushed = false
  private var hasLogFailed = false

  init(
    _ options: BatchOptions, _ source: any EntrySource, _ log: any ExecutionLog,
    _ commands: BatchCommands, _ stream: EventStream, _ tails: OutputTails, in session: Session
  ) {
    self.options = options
    self.log = log
    self.commands = commands
    self.stream = stream
    self.tails = tails
    self.session = session
    claimQueue = ClaimQueue(
      source, log, on: session.loop, jobs: options.jobs, for: commands)
    scheduler = ExecutionScheduler(
      session.host,
      options.scheduling(mayStart: { [unowned session] in !session.isEnding }) {
        [report = session.report] in
        report.note("\($0.name) is not enabled; its entries wait")
      })
    claimQueue.onDelivery = { [unowned self] delivery in take(delivery) }
    scheduler.onAdvance = { [unowned self] in fetch() }
  }

  /// True when all work has ended and is recorded.
  var isOver: Bool { isFlushed }

  /// Executes everything, and returns when all work has ended and is recorded.
  func perform() {
    advance()
    while !isOver {
      session.wait {
        turn()
        return isOver
      }
      // The loop has nothing to wait for: work that still waits can never start.
      if !isOver { endStuck() }
    }
    session.settle()
  }

  /// Starts no more work, releases the waiting entries, and cancels the running ones.
  func stop() {
    guard !isStopping else { return }
    isStopping = true
    claimQueue.close()
    release(scheduler.stop().compactMap { ($0.requester as? BatchEntry)?.execution })
    for request in scheduler.runningRequests { scheduler.cancel(request) }
    // Services end after the entries that use them.
    advance()
  }

  /// Stops the batch, once, because the log cannot be written: nothing may happen unrecorded.
  func stop(for failure: JournalError) {
    note(logFailure: failure.description)
    stop()
  }

  /// Reports once that the log has failed: further failures follow from the first.
  func note(logFailure problem: String) {
    guard !hasLogFailed else { return }
    hasLogFailed = true
    note(problem)
  }

  /// Reports a problem that prevents the batch from completing.
  func note(_ problem: String) {
    problems.append(problem)
    session.report.error(problem)
  }

  /// Ends the use of what entries needed.
  private func releaseServices() {
    let states = heldNeeds.values
    heldNeeds = [:]
    for state in states { state.release() }
  }

  /// Releases unused claims.
  private func release(_ executions: [Int64]) {
    if !executions.isEmpty { log.record([], releases: executions) }
  }

  /// Starts all that is ready, and ends the batch when nothing is left.
  func advance() { scheduler.advance() }

  private func fetch() {
    let isIdle = scheduler.runningCount == 0
    claimQueue.fetch(
      ready: scheduler.readyCount, waiting: scheduler.waitingCount, isIdle: isIdle)
    if !isFlushing, claimQueue.isOver, scheduler.waitingCount == 0, isIdle, endingEntries == 0 {
      isFlushing = true
      scheduler.onAdvance = {}
      releaseServices()
      flush()
    }
  }

  private func flush() {
    let awake = session.loop.keepAlive()
    let asked = LoopBound((run: self, awake: awake))
    log.flush { [loop = session.loop] answer in
      loop.enqueue {
        let (run, awake) = asked.value
        awake.release()
        if case .failure(let error) = answer {
          run.note(logFailure: "\(error); what has ended since is not recorded")
        }
        run.isFlushed = true
      }
    }
  }

  /// Ends the scripts whose top level has returned and whose work has ended.
  private func turn() {
    guard !scripts.isEmpty else { return }
    for script in scripts { script.look() }
    scripts.removeAll(where: \.isEnded)
  }

  // MARK: Entries

  private func take(_ delivery: ClaimQueue.Delivery) {
    for problem in delivery.problems { note(problem) }
    if let failure = delivery.failure { return stop(for: failure) }
    // Idle jobs waited for this delivery: fetch further ahead.
    if !delivery.claims.isEmpty, scheduler.readyCount == 0,
      scheduler.runningCount < options.jobs
    {
      claimQueue.widen()
    }
    var releases: [Int64] = []
    for (planned, claim) in delivery.claims {
      switch claim {
      case .granted(let execution) where isStopping,
        .repeatedName(let execution, _, _) where isStopping:
        releases.append(execution)
      case .granted(let execution): admit(planned, execution)
      case .completed(let execution):
        end(BatchResult(planned: planned, outcome: .skipped("completed as #\(execution)")))
      case .taken: break  // The queue claims it again.
      case .repeatedName(let execution, let line, let plan):
        let place = plan == planned.entry.plan ? "line \(line)" : "\(plan):\(line)"
        let failure = Failure(
          .input, "the id '\(planned.entry.name ?? "")' was used on \(place) before")
        request(planned, execution, flaw: failure)
      }
    }
    release(releases)
    advance()
  }

  /// Requests the execution of a claimed entry.
  private func admit(_ planned: PlannedEntry, _ execution: Int64) {
    do throws(Failure) {
      request(planned, execution, try command(of: planned))
    } catch {
      request(planned, execution, flaw: error)
    }
  }

  private func request(
    _ planned: PlannedEntry, _ execution: Int64, _ command: ScriptCommand? = nil,
    flaw: Failure? = nil
  ) {
    let entry = BatchEntry(
      planned, execution: execution, in: self, needs: command.flatMap(needs), flaw: flaw)
    // What an entry has executed is not executed again because another one needs it.
    let needed = command.flatMap { isNeeded($0) ? call(of: planned, $0).key : nil }
    onRequest(execution, scheduler.add(command, from: entry, call: needed))
  }

  /// The command of an entry, which the user has confirmed; nil for a script.
  private func command(of planned: PlannedEntry) throws(Failure) -> ScriptCommand? {
    if let problem = planned.problem { throw Failure(.input, problem) }
    if planned.entry.kind == .script { return nil }
    let command = try commands.find(planned)
    // Before what the command needs is executed.
    if command.mayAsk { try session.host.confirm(call(of: planned, command)) }
    if let note = serialEntries.add(command) { session.report.say(note) }
    return command
  }

  /// The call of an entry. A fault in its input is reported when it begins.
  private func call(of planned: PlannedEntry, _ command: ScriptCommand) -> Plan.Call {
    Plan.Call(command, (try? commands.input(of: planned.entry, for: command)) ?? .nil)
  }

  // MARK: Deadlocks

  /// Ends work that can never proceed, because nothing is left that could send a value.
  private func endStuck() {
    var canGoOn = false
    for script in scripts where script.endStuck() { canGoOn = true }
    if canGoOn { return }
    let stuck = scheduler.runningRequests
    for request in stuck {
      let failure = Failure.stuck()
      if let record = record(of: request) { stream.end(record, failure) }
      scheduler.end(request, failure)
      request.requester.cancel(request)
    }
    // The entries held now wait in vain; later ones of the plan may be what they wait for.
    if stuck.isEmpty { scheduler.failStuck() }
  }

  private func record(of request: ExecutionRequest) -> ExecutionRecord? {
    if let entry = request.requester as? BatchEntry { return entry.record }
    return stream.running.first { $0.entry == nil && $0.id == request.execution?.id }
  }
}
