import Commands
import EventLoop
import Journal
import LuaRuntime
import Reactive
import RunnerCore
import Scripting

/// Executes a batch: entries come from a source, are claimed in a log, wait in queues for their
/// command and for a job, are executed, and their ends are logged. On the loop's thread.
///
/// ```
/// EntrySource ──▶ ExecutionLog.claim ──▶ queues ──▶ jobs ──▶ ExecutionLog.record
///                        └── done, or claimed by another batch: skipped
/// ```
///
/// Work starts when an entry arrives, another one ends, or a command becomes enabled.
final class BatchRun: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

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
  var queues = CommandQueues()
  /// The running work, by its number.
  var running: [Int: Work] = [:]
  var scripts: [ScriptRun] = []
  /// The calls that entries depend on.
  var needs: [CallKey: BatchNeed] = [:]
  /// Those that have been executed, also by executions that the work of entries starts.
  let needsRecord = NeedsRecord()
  private(set) var isStopping = false
  /// True while `pump` looks for work.
  var isPumping = false
  private var isFlushing = false
  private var isFlushed = false
  private var hasLogFailed = false
  private var lastNumber = 0

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
      source, log, on: session.loop, jobs: options.jobs, hideSecrets: commands.hideSecrets)
    claimQueue.onDelivery = { [unowned self] delivery in take(delivery) }
  }

  /// True when all work has ended and is recorded.
  var isOver: Bool { isFlushed }

  var runningWork: [Work] { running.values.sorted { $0.number < $1.number } }

  func start() { advance() }

  /// Starts no more work, releases the waiting entries, and cancels the running ones.
  func stop() {
    guard !isStopping else { return }
    isStopping = true
    claimQueue.close()
    release(
      queues.removeAll().compactMap {
        if case .entry(_, let execution) = $0.origin { execution } else { nil }
      })
    for work in runningWork { work.cancel() }
    advance()
  }

  /// Stops the batch, once, because the log cannot be written: nothing may happen unrecorded.
  func stop(for failure: JournalError) {
    guard !hasLogFailed else { return }
    hasLogFailed = true
    note(failure.description)
    stop()
  }

  /// Reports a problem that prevents the batch from completing.
  func note(_ problem: String) {
    problems.append(problem)
    session.report.error(problem)
  }

  /// Releases unused claims.
  private func release(_ executions: [Int64]) {
    if !executions.isEmpty { log.record([], releases: executions) }
  }

  /// Starts and ends all work that is ready.
  func advance() {
    pump()
    claimQueue.fetch(ready: queues.ready, waiting: queues.waiting, isIdle: running.isEmpty)
    if !isFlushing, claimQueue.isOver, queues.waiting == 0, running.isEmpty {
      isFlushing = true
      flush()
    }
  }

  private func flush() {
    let awake = session.loop.keepAlive()
    log.flush { [self] answer in
      session.loop.enqueue {
        awake.release()
        if case .failure(let error) = answer {
          self.note("\(error); what has ended since is not recorded")
        }
        self.isFlushed = true
      }
    }
  }

  /// Ends the scripts whose top level has returned and whose work has ended.
  func turn() {
    guard !scripts.isEmpty else { return }
    for script in scripts { script.look() }
    scripts.removeAll(where: \.isEnded)
  }

  // MARK: Entries

  private func take(_ delivery: ClaimQueue.Delivery) {
    for problem in delivery.problems { note(problem) }
    if let failure = delivery.failure { return stop(for: failure) }
    // Idle jobs waited for this delivery: fetch further ahead.
    if !delivery.claims.isEmpty, queues.ready == 0, running.count < options.jobs {
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
        append(planned, execution, to: queues.scripts, flaw: failure)
      }
    }
    release(releases)
    advance()
  }

  /// Puts a claimed entry into its queue.
  private func admit(_ planned: PlannedEntry, _ execution: Int64) {
    do throws(Failure) {
      append(planned, execution, to: try queue(of: planned))
    } catch {
      append(planned, execution, to: queues.scripts, flaw: error)
    }
  }

  private func append(
    _ planned: PlannedEntry, _ execution: Int64, to queue: CommandQueue, flaw: Failure? = nil
  ) {
    lastNumber += 1
    let work = Work(.entry(planned, execution: execution), number: lastNumber, flaw: flaw)
    queues.append(work, to: queue)
  }

  private func queue(of planned: PlannedEntry) throws(Failure) -> CommandQueue {
    if let problem = planned.problem { throw Failure(.input, problem) }
    if planned.entry.kind == .script { return queues.scripts }
    let command = try commands.find(planned)
    // Before what the command needs is executed.
    if command.confirmation != nil { try session.host.onConfirm?(Plan.Call(command, .nil)) }
    return queues.queue(of: command)
  }

  /// Adds work that other work depends on, before all entries.
  func addNeed(_ call: Plan.Call, _ onEnd: @escaping (Failure?) -> Void) {
    lastNumber += 1
    queues.prepend(
      Work(.need(call, onEnd), number: -lastNumber), to: queues.queue(of: call.command))
  }

  // MARK: Deadlocks

  /// Ends work that can never proceed, because nothing is left that could send a value.
  func endStuck() {
    var canGoOn = false
    for script in scripts where script.endStuck() { canGoOn = true }
    if canGoOn { return }
    let stuck = runningWork
    for work in stuck {
      let failure = Failure.stuck()
      if let record = work.record { stream.end(record, failure) }
      ended(work, failure)
      work.cancel()
    }
    if !stuck.isEmpty { return }
    // The entries held now wait in vain; later ones of the plan may be what they wait for.
    giveUpDisabled()
    // All other waiting work waits for a command whose holder cannot end.
    for queue in queues.busy {
      failWaiting(in: queue, Failure(.user, "waits for a command that is busy and cannot end"))
    }
    advance()
  }

  /// The queues whose command is not enabled.
  var disabledQueues: [CommandQueue] {
    queues.busy.filter { if case .condition = $0.obstacle { true } else { false } }
  }

  /// Fails all work that waits in a queue.
  func failWaiting(in queue: CommandQueue, _ failure: Failure) {
    for work in queues.removeAll(of: queue) {
      switch work.origin {
      case .need(_, let onEnd): onEnd(failure)
      case .entry(let planned, let execution): fail(planned, failure, execution: execution)
      }
    }
  }
}
