import Commands
import EventLoop
import Journal
import LuaRuntime
import Reactive
import Scripting

/// A batch at work: entries come from a source, are claimed in a log, wait in queues for their command
/// and for a job, are executed, and their ends are logged. On the loop's thread.
///
/// ```
/// EntrySource ──▶ ExecutionLog.claim ──▶ queues ──▶ jobs ──▶ ExecutionLog.record
///                        └── done, or another's: skipped
/// ```
///
/// Work starts when an entry has come, another has ended, or a command has become enabled.
final class BatchRun: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  let options: BatchOptions
  let session: Session
  let stream: EventStream
  let log: any ExecutionLog
  let tails: OutputTails
  let commands: BatchCommands
  let claimQueue: ClaimQueue
  var observers: [any BatchObserver] = []
  /// What ended the batch early.
  private(set) var problems: [String] = []
  var counts = BatchCounts()
  var queues = CommandQueues()
  /// What is executed now, by its number.
  var running: [Int: Work] = [:]
  var scripts: [ScriptRun] = []
  /// The commands that others need, by their names.
  var needs: [String: BatchNeed] = [:]
  private(set) var isStopping = false
  /// Whether `pump` is looking for work.
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

  /// Whether all is done and recorded.
  var isOver: Bool { isFlushed }

  var runningWork: [Work] { running.values.sorted { $0.number < $1.number } }

  func start() { advance() }

  /// Starts nothing more, gives back what waits, and cancels what runs.
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

  /// Stops, once, because the log cannot be written: nothing more is to happen that it does not know.
  func stop(for failure: JournalError) {
    guard !hasLogFailed else { return }
    hasLogFailed = true
    note(failure.description)
    stop()
  }

  /// Tells what keeps the batch from being complete.
  func note(_ problem: String) {
    problems.append(problem)
    session.report.error(problem)
  }

  /// Gives back claims that are not used.
  private func release(_ executions: [Int64]) {
    if !executions.isEmpty { log.record([], releases: executions) }
  }

  /// Does whatever can be done now.
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

  /// Scripts whose top level has ended are over when nothing is left that they started.
  func turn() {
    guard !scripts.isEmpty else { return }
    for script in scripts { script.look() }
    scripts.removeAll(where: \.isEnded)
  }

  // MARK: Entries

  private func take(_ delivery: ClaimQueue.Delivery) {
    for problem in delivery.problems { note(problem) }
    if let failure = delivery.failure { return stop(for: failure) }
    // All jobs have waited for this: more is to be fetched ahead.
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
      case .taken: break  // It asks again.
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
    return queues.queue(of: try commands.find(planned))
  }

  /// Work that something else needs: before all entries.
  func addNeed(_ command: ScriptCommand, _ onEnd: @escaping (Failure?) -> Void) {
    lastNumber += 1
    queues.prepend(Work(.need(onEnd), number: -lastNumber), to: queues.queue(of: command))
  }

  // MARK: Dead ends

  /// Ends what can never proceed: nothing is left that could send anything.
  func endStuck() {
    var canGoOn = false
    for script in scripts where script.endStuck() { canGoOn = true }
    if canGoOn { return }
    let stuck = runningWork
    for work in stuck {
      let failure = Failure(.user, "waits for something that nothing can send")
      if let record = work.record { stream.end(record, failure) }
      ended(work, failure)
      work.cancel()
    }
    if !stuck.isEmpty { return }
    // More than is held at a time waits in vain; what follows may be what it waits for.
    giveUpDisabled()
    // Whatever else waits, waits for a command that something holds which cannot end.
    for queue in queues.busy {
      failWaiting(in: queue, Failure(.user, "waits for a command that is busy and cannot end"))
    }
    advance()
  }

  /// The queues whose command is not enabled.
  var disabledQueues: [CommandQueue] {
    queues.busy.filter { if case .condition = $0.obstacle { true } else { false } }
  }

  /// Ends all that waits in a queue.
  func failWaiting(in queue: CommandQueue, _ failure: Failure) {
    for work in queues.removeAll(of: queue) {
      switch work.origin {
      case .need(let onEnd): onEnd(failure)
      case .entry(let planned, let execution): fail(planned, failure, execution: execution)
      }
    }
  }
}
