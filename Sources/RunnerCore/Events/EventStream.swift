import Commands
import EventLoop
import Journal
import LuaRuntime
import Platform
import Reactive
import Scripting

/// The single stream of the events of a run: it observes executions, and renderers receive its
/// events. On the loop's thread.
package final class EventStream {
  private let host: ScriptHost
  @exclusivity(unchecked) private var renderers: [any EventRenderer]
  private var records: [Int: ExecutionRecord] = [:]
  private var ended = EndedRecords()
  private var colorIndexes: [String: Int] = [:]
  private var summary = RunSummary()
  private let startTime = EventLoop.now
  private var sendsUnhandled = false
  private let subscription = CompoundDisposable()
  /// Called with standard error that scripts capture.
  package var onCaptured: ((UnsafeRawBufferPointer, ExecutionRecord) -> Void)?
  /// The names of the commands that are executed with different inputs, which messages then show.
  package var repeated: Set<String> = []
  /// Records the process groups of recorded executions.
  package var groups: GroupRecorder?

  package init(_ host: ScriptHost, _ renderers: [any EventRenderer]) {
    self.host = host
    self.renderers = renderers
    host.add(self)
  }

  /// A stream that also has the unhandled failures of a session.
  package convenience init(_ session: Session, _ renderers: [any EventRenderer]) {
    self.init(session.host, renderers)
    sendsUnhandled = true
  }

  private func record(of execution: Int) -> ExecutionRecord? {
    records[execution] ?? ended[execution]
  }

  /// The number in the journal of the execution with this id, if it is recorded.
  package func recordedNumber(of execution: Int?) -> Int64? {
    execution.flatMap { record(of: $0) }?.recordedAs
  }

  /// The latest reports of commands that wait for what others have, and have not begun since.
  package private(set) var waits: [Contention] = []

  /// The executions that have begun and not ended, in order.
  package var running: [ExecutionRecord] {
    records.values.filter { $0.startTime != nil }.sorted { ($0.id ?? 0) < ($1.id ?? 0) }
  }

  package func add(_ renderer: any EventRenderer) { renderers.append(renderer) }

  package func send(_ event: RunEvent) {
    count(event)
    for renderer in renderers { renderer.render(event) }
  }

  /// The index of a command among the commands of the run.
  package func colorIndex(of command: String) -> Int {
    if let colorIndex = colorIndexes[command] { return colorIndex }
    colorIndexes[command] = colorIndexes.count
    return colorIndexes.count - 1
  }

  /// Reports the events of an execution from its admission on.
  ///
  /// - Parameters:
  ///   - entry: the plan entry that requested it.
  ///   - number: its number in the journal.
  @discardableResult
  package func follow(
    _ execution: Execution<LuaValue, LuaValue>, of command: ScriptCommand,
    for entry: PlanEntry? = nil, recordedAs number: Int64? = nil
  ) -> ExecutionRecord {
    let record = ExecutionRecord(
      command: command.name, id: execution.id, input: execution.input,
      colorIndex: colorIndex(of: command.name))
    record.entry = entry
    record.recordedAs = number
    name(record)
    record.isInteractive = command.isInteractive
    // A rejected execution has only an error; a joined one is already known.
    guard !execution.state.isEnded || execution.error == nil else {
      observe(execution, record)
      return record
    }
    if let known = records[execution.id] {
      guard entry != nil else { return known }
      begin(record)
      observeEnd(of: execution, record)
      return record
    }
    records[execution.id] = record
    let isQueued = execution.state == .queued
    if isQueued { send(.queued(record)) } else { begin(record) }
    if isQueued || execution.mayRetry { followAttempts(execution, record) }
    observe(execution, record)
    return record
  }

  /// Names a record by its call if other inputs of its command are executed, too.
  private func name(_ record: ExecutionRecord) {
    guard repeated.contains(record.command) else { return }
    record.call = host.call(of: record.command, record.input)
  }

  /// Reports that an execution was not admitted, and why.
  func reject(
    _ execution: Execution<LuaValue, LuaValue>, of command: ScriptCommand, _ failure: Failure
  ) {
    end(
      ExecutionRecord(
        command: command.name, id: execution.id, input: execution.input,
        colorIndex: colorIndex(of: command.name)), failure)
  }

  /// Reports that an execution was skipped.
  package func skip(_ command: ScriptCommand, _ input: LuaValue, _ failure: Failure?) {
    let record = ExecutionRecord(
      command: command.name, id: nil, input: input, colorIndex: colorIndex(of: command.name))
    name(record)
    end(record, failure)
  }

  /// Reports whether the commands of a plan are enabled, at each change from now on.
  func followConditions(of plan: Plan) {
    var followed: Set<String> = []
    for command in plan.steps.map(\.command) where followed.insert(command.name).inserted {
      if !command.hasPredicate { command.ask() }
      command.enabled.skip(1).observe(
        Observer(
          next: onLoop { [weak self] in self?.send(.enabled(command: command.name, $0)) },
          end: { _ in }),
        in: subscription.makeChild())
    }
  }

  /// Reports the end of the run and its exit status.
  ///
  /// - Parameters:
  ///   - counts: the outcomes of the entries of a batch; other executions are not counted.
  ///   - duration: how long it took, if it began before the stream.
  package func finish(
    exitCode: Int32?, counts: EntryCounts? = nil, duration: Duration? = nil
  ) {
    subscription.dispose()
    summary.exitCode = exitCode
    if let counts { summary.take(counts) }
    summary.duration = duration ?? EventLoop.now - startTime
    send(.runFinished(summary))
    // Between two runs, and after the last, some processes may not have ended yet.
    host.remove(self)
    renderers = []
  }

  /// Reports that the run ends because of a signal or, without a status, that another run replaces
  /// it.
  func close(exitCode: Int32?) {
    for record in running {
      record.isReplaced = true
      end(record, Failure(.cancelled, "replaced"))
    }
    finish(exitCode: exitCode)
  }

  // MARK: Executions

  private var onlyRecord: ExecutionRecord? { records.count == 1 ? records.first?.value : nil }

  private func begin(_ record: ExecutionRecord) {
    guard record.startTime == nil else { return }
    record.startTime = EventLoop.now
    waits.removeAll { $0.command == record.command }
    send(.started(record))
  }

  private func followAttempts(
    _ execution: Execution<LuaValue, LuaValue>, _ record: ExecutionRecord
  ) {
    let following = subscription.makeChild()
    execution.attempts.observe(
      Observer(
        next: onLoop { [self] attempt in
          if attempt.number == 1 { return begin(record) }
          send(
            .retry(
              record, attempt: attempt.number, delay: attempt.delay,
              cause: attempt.cause.map {
                host.failure(of: $0, endOf: record.command, execution.id)
              }))
        }, end: { _ in following.dispose() }), in: following)
  }

  private func observe(
    _ execution: Execution<LuaValue, LuaValue>, _ record: ExecutionRecord
  ) {
    let following = subscription.makeChild()
    let output = output(of: record)
    execution.observe(
      Observer(
        next: output.next, batch: output.batch,
        end: onLoop { [self] termination in
          following.dispose()
          output.end(.completed)
          end(record, termination)
        }), in: following)
  }

  /// Returns a receiver of one source of the output of an execution, whose end is not the execution's.
  private func output(of record: ExecutionRecord) -> Observer<LuaValue> {
    let pieces = LoopBound(ChunkPieces { [self] in send(.next(record, $0)) })
    let next = onLoop { (value: LuaValue) in pieces.value.add(.one(value)) }
    return Observer(
      next: next,
      batch: onLoop { [self] (batch: Batch<LuaValue>) in
        if let shown = batch as? ShownValues {
          let values = Observer(
            next: next, batch: { pieces.value.add(.batch($0)) }, end: { (_: Termination) in })
          return shown.send(to: values, showing: record.id)
        }
        if let line = batch as? UnfinishedLine { return send(.unfinished(record, line)) }
        if let question = batch as? JoinedStreams {
          return question.answer(renderers.allSatisfy(\.joinsStreams))
        }
        pieces.value.add(.batch(batch))
      },
      end: onLoop { _ in pieces.value.finish() })
  }

  /// Reports the end of an execution that an entry has joined: its values are reported as those of
  /// the entry that began it.
  private func observeEnd(
    of execution: Execution<LuaValue, LuaValue>, _ record: ExecutionRecord
  ) {
    let following = subscription.makeChild()
    execution.observe(
      Observer(
        end: onLoop { [self] termination in
          following.dispose()
          end(record, termination)
        }), in: following)
  }

  private func end(_ record: ExecutionRecord, _ termination: Termination) {
    switch termination {
    case .completed: end(record, nil)
    case .error(let error):
      end(record, host.failure(of: error, endOf: record.command, record.id ?? 0))
    }
  }

  /// Reports the end of an execution, with its failure.
  package func end(_ record: ExecutionRecord, _ failure: Failure?) {
    guard record.outcome == nil else { return }
    // A joined execution is known by the entry that began it.
    if let id = record.id, records[id] === record {
      records[id] = nil
      ended.add(record, id)
    }
    guard var failure else {
      record.outcome = .completed
      return send(.completed(record))
    }
    if failure.kind == .cancelled {
      record.outcome = .cancelled
      return send(.cancelled(record))
    }
    record.outcome = .failed
    // The message names the requested command before the one that failed inside it.
    if failure.outer == nil, let inner = failure.execution, inner != record.id {
      failure.outer = record.command
    } else if failure.outer == nil {
      if failure.kind != .notEnabled { failure.command = nil }
      failure.command = failure.command ?? (record.command.isEmpty ? nil : record.command)
      failure.execution = record.id
    }
    send(.failed(record, failure))
  }

  private func count(_ event: RunEvent) {
    switch event {
    case .completed: summary.completed += 1
    case .failed: summary.failed += 1
    case .cancelled: summary.cancelled += 1
    default: break
    }
  }
}

extension EventStream: HostObserver {
  package func hostWroteErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?) -> Bool {
    send(.standardError(execution.map(record) ?? onlyRecord, bytes))
    return true
  }

  package func hostShowsOutput(of execution: Int) -> Observer<LuaValue>? {
    record(of: execution).map(output)
  }

  package func hostCapturedErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?) {
    guard let record = execution.flatMap(record) else { return }
    onCaptured?(bytes, record)
  }

  package func hostSkipped(_ execution: Int, within origin: Int, saving saved: Duration?) {
    guard let record = records[execution] else { return }
    record.isUpToDate = true
    record.savedTime = saved
    send(.upToDate(record))
  }

  package func hostWaits(_ contention: Contention) {
    waits.removeAll { $0.command == contention.command }
    if !running.contains(where: { $0.command == contention.command }) { waits.append(contention) }
    send(.waits(contention))
  }

  package func hostBegan(_ step: WorkStep, of execution: Int) {
    guard let record = records[execution] else { return }
    send(.step(record, step))
  }

  package func hostBeganGroup(_ leader: Int32, of execution: Int?) {
    groups?.began(leader, of: recordedNumber(of: execution))
  }

  package func hostEndedGroup(_ leader: Int32) { groups?.ended(leader) }

  package func hostServiceChanged(
    _ command: ScriptCommand, _ input: LuaValue, _ status: ServiceStatus
  ) { send(.service(command, input, status, host.call(of: command.name, input))) }

  package func hostLeftUnhandled(_ failure: Failure) -> Bool {
    if sendsUnhandled { send(.unhandled(failure)) }
    // The session shows it to people.
    return false
  }
}
