import Platform
import Commands
import Reactive
import RunnerCore
import Scripting

/// The executions of a shared queue as a panel shows them, and the way of presses into it. On the
/// loop's thread.
final class SharedBoard: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private let queue: any SharedQueue
  private unowned let panel: Panel
  /// True once everything that was there at the start is shown.
  private(set) var isReady = false
  /// The error because of which the queue cannot be read.
  private(set) var failure: (any Error)?
  /// Why the queue cannot be reached, while it cannot.
  private var problem: String?
  private var workers = JSONValue.list([])
  /// What completes when a pressed execution ends, by its number.
  private var ends: [Int: Subject<Void>] = [:]

  init(_ queue: any SharedQueue, _ panel: Panel) {
    self.queue = queue
    self.panel = panel
  }

  func start() {
    queue.onChange = { [unowned self] in take($0) }
    queue.onFailure = { [unowned self] error in
      failure = error
      guard isReady else { return }
      problem = "\(error)"
      panel.session.report.error("\(error)")
      tell()
    }
    queue.start(keep: panel.executions.keep)
  }

  func close() { queue.close() }

  var workerCount: Int { if case .list(let all) = workers { all.count } else { 0 } }

  /// What pages show of the queue.
  var fields: [(String, JSONValue)] {
    [("name", .string(queue.name))]
      + (problem.map { [("problem", .string(Secrets.masked($0)))] } ?? [])
      + [("workers", workers)]
  }

  // MARK: Presses

  /// Hands a press over. The signal completes when its execution has ended.
  func begin(_ press: PanelPress) -> Signal<Void> {
    guard let step = press.plan?.steps.first(where: \.isRequested) else { return .empty() }
    press.isHandedOver = true
    if let problem {
      press.onDecision(
        .failure(.journal("the connection to \(queue.name) is lost: \(problem)")))
      return .empty()
    }
    let end = Subject<Void>()
    queue.submit(
      SharedCall(
        session: panel.session, host: panel.workspace.host,
        file: CommandFile.split(panel.file).name,
        command: step.command.name, input: press.input, isConfirmed: press.isConfirmed)
    ) { [unowned self] answer in
      do {
        let execution = try answer.get()
        guard let entry = panel.executions[execution.id] else {
          throw SharedQueueError("execution \(execution.id) has ended, and is no longer kept")
        }
        entry.by = press.by
        if entry.isOver { end.sendCompleted() } else { ends[execution.id] = end }
        press.onDecision(.success(entry))
      } catch {
        press.onDecision(.failure(.handover(error, of: step.command.name)))
        end.sendCompleted()
      }
    }
    return end
  }

  func cancel(_ execution: PanelExecution) {
    queue.cancel(execution.id)
    panel.noteCancelling(execution)
  }

  // MARK: Changes

  private func take(_ change: SharedChange) {
    switch change {
    case .ready: isReady = true
    case .connection(let problem): connection(problem)
    case .notice(let text): panel.session.report.say(text)
    case .workers(let workers):
      self.workers = workers.masked ?? workers
      tell()
    case .execution(let execution): update(execution)
    case .retry(let execution, let delay, let failure):
      guard let entry = panel.executions[execution.id], !entry.isOver else { return }
      panel.noteRetry(
        entry, attempt: execution.attempt, delay: JSONValue.number(delay).text, cause: failure)
    case .output(let id, let output):
      if let entry = panel.executions[id] { panel.append(output, to: entry) }
    }
  }

  private func connection(_ problem: String?) {
    self.problem = problem
    if let problem {
      panel.session.report.say(
        "the connection to \(queue.name) is lost: \(problem); waiting for it")
    } else {
      panel.session.report.say("the connection to \(queue.name) is back")
    }
    tell()
  }

  private func tell() {
    guard isReady else { return }
    panel.feed.send("journal", fields.map { ($0, $1.text) })
  }

  private func update(_ execution: SharedExecution) {
    let known = panel.executions[execution.id]
    if known?.isOver == true { return }
    let entry =
      known
      ?? PanelExecution(
        execution.id, of: execution.command, input: execution.input.map(Secrets.masked(json:)),
        created: execution.created)
    if known == nil { panel.executions.add(entry) }
    let old = entry.state
    entry.batch = execution.batch
    entry.worker = execution.worker
    entry.attempt = execution.attempt
    entry.started = execution.started
    entry.isUpToDate = execution.isUpToDate
    switch execution.state {
    case .queued where old != .queued: panel.note(entry, .queued)
    case .running where old != .running && old != .cancelling: panel.note(entry, .running)
    case .cancelling: panel.noteCancelling(entry)
    case .queued, .running: break
    case .completed: end(entry, .completed, execution)
    case .failed: end(entry, .failed, execution)
    case .cancelled: end(entry, .cancelled, execution)
    }
  }

  private func end(
    _ entry: PanelExecution, _ state: PanelExecution.State, _ execution: SharedExecution
  ) {
    entry.isPast = !isReady
    if entry.isUpToDate { panel.noteUpToDate(entry, saving: nil) }
    panel.noteEnd(
      of: entry, as: state, execution.failure, at: execution.ended ?? WallClock.seconds)
    ends.removeValue(forKey: entry.id)?.sendCompleted()
  }
}

extension APIError {
  fileprivate static func journal(_ problem: String) -> APIError {
    APIError(503, "journal", problem)
  }

  /// A press that cannot be handed over.
  fileprivate static func handover(_ error: any Error, of command: String) -> APIError {
    if let error = error as? SharedQueueError { return .journal("\(error)") }
    let kind = (error as? Failure)?.kind ?? .input
    let message = (error as? Failure)?.message ?? "\(error)"
    return APIError(422, kind.rawValue, "\(command): \(message)")
  }
}
