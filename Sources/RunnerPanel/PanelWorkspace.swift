import Commands
import EventLoop
import LuaRuntime
import Reactive
import RunnerCore
import Scripting

/// One interpreter of a panel with its commands, runs and executions. A changed command file gets
/// another one, and this one stays until its executions have ended. On the loop's thread.
final class PanelWorkspace: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  let host: ScriptHost
  private unowned let panel: Panel
  private var stream: EventStream?
  private var runs: [PanelRun] = []
  /// The executions of commands by their own ids.
  private var executions: [Int: PanelExecution] = [:]
  /// The executions to which process groups belong.
  private var groups: [Int32: PanelExecution] = [:]
  private let errorLines = ErrorLines()

  init(_ host: ScriptHost, _ panel: Panel) {
    self.host = host
    self.panel = panel
    let stream = EventStream(host, [self])
    self.stream = stream
    host.onConfirm = { [weak self] call throws(Failure) in try self?.confirm(call) }
    host.onExecution = { [weak self] command, _, _ in
      self?.panel.stateMayHaveChanged(command.name)
      return false
    }
    host.onGroupBegun = { [weak self] origin, leader in self?.groupBegan(leader, of: origin) }
    host.onGroupEnded = { [weak self] leader in self?.groupEnded(leader) }
    let report = panel.session.report
    host.onUnhandled = { [weak panel] failure in
      report.failure(failure)
      panel?.feed.send("unhandled", [("error", EventJSON.text(of: failure))])
    }
    host.onLog = { [weak panel] level, text in
      report.log(level, text)
      panel?.feed.send(
        "log",
        [
          ("level", JSONValue.string(level.rawValue).text),
          ("message", JSONValue.string(Secrets.masked(text)).text),
        ])
    }
  }

  /// True while something that it has started has not ended.
  var isBusy: Bool { !runs.isEmpty || !groups.isEmpty || host.isExecuting }

  /// The executions of a command that have begun and have not ended, the first one first.
  func activeExecutions(of command: String) -> [PanelExecution] {
    executions.values.filter { $0.command == command && !$0.isOver }.sorted { $0.id < $1.id }
  }

  /// Cancels all runs.
  func cancelAll() {
    for run in runs { run.cancel() }
  }

  // MARK: Runs

  /// Starts the run of a press. Events about it are held back until it is known whether it is
  /// refused.
  func start(_ plan: Plan, _ press: PanelPress) -> PanelRun {
    let step = plan.steps.first { $0.isRequested } ?? plan.steps[0]
    let request = panel.executions.add(
      of: step.command.name, input: input(of: step))
    press.execution = request
    let run = PanelRun(self, plan, request, isConfirmed: press.isConfirmed)
    request.run = run
    request.held = []
    runs.append(run)
    run.start()
    return run
  }

  func remove(_ run: PanelRun) { runs.removeAll { $0 === run } }

  func newExecution(of step: Plan.Step, for request: PanelExecution) -> PanelExecution {
    panel.executions.add(
      of: step.command.name, input: input(of: step), for: request)
  }

  private func input(of step: Plan.Step) -> String? {
    step.command.hideSecrets(of: step.input)
    return step.input.isNil ? nil : EventJSON.text(of: step.input, host)
  }

  func execution(of execution: Execution<LuaValue, LuaValue>) -> PanelExecution? {
    executions[execution.id]
  }

  func follow(
    _ execution: Execution<LuaValue, LuaValue>, as entry: PanelExecution, of command: ScriptCommand
  ) {
    entry.execution = execution
    executions[execution.id] = entry
    entry.record = stream?.follow(execution, of: command)
  }

  private func confirm(_ call: Plan.Call) throws(Failure) {
    guard let question = call.command.confirmation, !runs.contains(where: { $0.confirms(call) })
    else { return }
    throw Failure(
      .input, "it asks \"\(question)\", which only its own button can answer with yes")
  }

  // MARK: Changes of executions

  func joined(_ request: PanelExecution, _ other: PanelExecution) {
    if request.held == nil {
      panel.send("joined", request.identity + [("into", "\(other.id)")], of: request)
    }
    panel.executions.remove(request)
    decided(request)
  }

  /// Notes that an execution has failed, or could not begin.
  func failed(_ entry: PanelExecution, _ failure: Failure) {
    guard !entry.isOver else { return }
    entry.error = EventJSON.text(of: failure)
    entry.failure = failure
    end(entry, .failed, "error", [("error", entry.error)])
  }

  func cancelled(_ entry: PanelExecution) {
    guard !entry.isOver else { return }
    guard entry.groups > 0 else { return end(entry, .cancelled, "cancelled") }
    guard entry.state != .cancelling else { return }
    entry.state = .cancelling
    send(
      "cancelling", entry,
      [("cancelled_by", entry.cancelledBy.map { JSONValue.string($0).text })])
    panel.stateMayHaveChanged(entry.command)
  }

  private func end(
    _ entry: PanelExecution, _ state: PanelExecution.State, _ type: String,
    _ fields: [EventJSON.Field] = []
  ) {
    entry.state = state
    entry.ended = PanelExecution.clock()
    entry.output.finish()
    send(type, entry, entry.extent + fields)
    panel.noteEnd(of: entry)
    release(entry)
    // Those that are kept may still get what their processes write last.
    executions = executions.filter { !$0.value.isOver || panel.executions[$0.value.id] != nil }
    decided(entry)
    panel.stateMayHaveChanged(entry.command)
  }

  /// Releases the command's execution, which keeps values of its own, once nothing more comes of it.
  private func release(_ entry: PanelExecution) {
    guard entry.isOver, entry.groups == 0 else { return }
    entry.execution = nil
    panel.workMayHaveEnded()
    panel.stateMayHaveChanged(entry.command)
  }

  private func decided(_ entry: PanelExecution) { entry.onDecided.take()?() }

  private func send(_ type: String, _ entry: PanelExecution, _ fields: [EventJSON.Field] = []) {
    panel.send(type, entry.identity + fields, of: entry)
  }

  // MARK: Process groups

  private func groupBegan(_ leader: Int32, of origin: Int?) {
    guard let entry = origin.flatMap({ executions[$0] }) else { return }
    groups[leader] = entry
    entry.groups += 1
  }

  private func groupEnded(_ leader: Int32) {
    guard let entry = groups.removeValue(forKey: leader) else { return }
    entry.groups -= 1
    guard entry.groups == 0 else { return }
    // What the processes have written last comes before the end.
    panel.session.loop.enqueue { [self] in
      guard entry.groups == 0 else { return }
      if entry.state == .cancelling {
        if let record = entry.record { finishErrors(record) }
        end(entry, .cancelled, "cancelled")
      } else {
        release(entry)
      }
    }
  }
}

// MARK: Events

extension PanelWorkspace: EventRenderer {
  func render(_ event: RunEvent) {
    switch event {
    case .queued(let record):
      change(record, to: .queued, "execution_queued")
      if let entry = entry(of: record) { makeWay(for: entry) }
    case .started(let record):
      entry(of: record)?.started = PanelExecution.clock()
      change(record, to: .running, "execution_started")
    case .upToDate(let record):
      guard let entry = entry(of: record) else { return }
      entry.isUpToDate = true
      send("up_to_date", entry)
    case .next(let record, let values):
      guard let entry = entry(of: record) else { return }
      append(values, to: entry)
    case .standardError(let record, let bytes): append(errors: bytes, record)
    case .retry(let record, let attempt, let delay, let cause):
      guard let entry = entry(of: record) else { return }
      entry.attempt = attempt
      entry.retries.append(PanelExecution.clock())
      send(
        "retry", entry,
        [
          ("attempt", "\(attempt)"), ("delay", delay.secondsText),
          ("error", cause.map { EventJSON.text(of: $0) }),
        ])
    case .failed(let record, let failure):
      finishErrors(record)
      if let entry = entry(of: record) { failed(entry, failure) }
    case .completed(let record):
      finishErrors(record)
      if let entry = entry(of: record), !entry.isOver { end(entry, .completed, "completed") }
    case .cancelled(let record):
      if let entry = entry(of: record) { cancelled(entry) }
      if entry(of: record)?.state != .cancelling { finishErrors(record) }
    case .runStarted, .skipped, .enabled, .runFinished: break
    }
  }

  private func entry(of record: ExecutionRecord?) -> PanelExecution? {
    record?.id.flatMap { executions[$0] }
  }

  /// Cancels an execution of an earlier command file for one that takes its place.
  private func makeWay(for entry: PanelExecution) {
    let command = host.commands.first { $0.name == entry.command }
    guard let command, case .restart = command.whenBusy, command.runningCount == 0 else { return }
    panel.earlierExecutions(of: entry.command).first?.execution?.cancel()
  }

  private func change(
    _ record: ExecutionRecord, to state: PanelExecution.State, _ type: String
  ) {
    guard let entry = entry(of: record), !entry.isOver else { return }
    entry.state = state
    panel.send(type, entry.origin, of: entry)
    decided(entry)
    panel.stateMayHaveChanged(entry.command)
  }

  // MARK: Output

  private func append(_ values: SentValues, to entry: PanelExecution) {
    switch values {
    case .batch(let lines as LineBatch):
      lines.text.withUnsafeBytes {
        let count = lines.count
        if let masked = Secrets.masked($0) {
          masked.withUnsafeBytes { append(.lines, $0, count: count, to: entry) }
        } else {
          append(.lines, $0, count: count, to: entry)
        }
      }
    case .batch(let chunk as TextBatch):
      chunk.text.withUnsafeBytes { append(.chunk, masking: $0, to: entry) }
    case .batch(let batch): batch.forEach { append($0, to: entry) }
    case .one(let value): append(value, to: entry)
    }
    panel.feed.outputHasCome(to: entry)
  }

  private func append(_ value: LuaValue, to entry: PanelExecution) {
    if case .string(let string) = value {
      return string.withUnsafeBytes { append(text: $0, to: entry) }
    }
    var text = EventJSON.text(of: value, host)
    text.withUTF8 { append(.json, UnsafeRawBufferPointer($0), count: 1, to: entry) }
  }

  /// Appends a text: as a line if it is one, because many of these are kept together.
  private func append(text bytes: UnsafeRawBufferPointer, to entry: PanelExecution) {
    guard !bytes.contains(10) else { return append(.text, masking: bytes, to: entry) }
    var line = Secrets.masked(bytes) ?? Array(bytes)
    line.append(10)
    line.withUnsafeBytes { append(.lines, $0, count: 1, to: entry) }
  }

  private func append(
    _ kind: OutputRun.Kind, masking bytes: UnsafeRawBufferPointer, to entry: PanelExecution
  ) {
    guard let masked = Secrets.masked(bytes) else {
      return append(kind, bytes, count: 1, to: entry)
    }
    masked.withUnsafeBytes { append(kind, $0, count: 1, to: entry) }
  }

  private func append(
    _ kind: OutputRun.Kind, _ bytes: UnsafeRawBufferPointer, count: Int, to entry: PanelExecution
  ) {
    let number = panel.feed.takeNumbers(count)
    entry.output.append(
      kind, bytes, count: count, number: number, time: PanelExecution.clock())
    panel.printOutput(of: entry, count)
  }

  private func append(errors bytes: UnsafeRawBufferPointer, _ record: ExecutionRecord?) {
    errorLines.append(bytes, of: record) { append(errorLine: $0, record) }
  }

  private func finishErrors(_ record: ExecutionRecord) {
    errorLines.finish(record) { append(errorLine: $0, record) }
  }

  private func append(errorLine line: UnsafeRawBufferPointer, _ record: ExecutionRecord?) {
    guard let entry = entry(of: record) else {
      let bytes = line.last == 10 ? line.dropLast() : line[...]
      panel.feed.send(
        "stderr",
        [("value", JSONValue.string(Secrets.masked(String(exactly: bytes))).text)])
      return
    }
    var text = Secrets.masked(line) ?? Array(line)
    if text.last != 10 { text.append(10) }
    text.withUnsafeBytes { append(.errorLines, $0, count: 1, to: entry) }
    panel.feed.outputHasCome(to: entry)
  }
}
