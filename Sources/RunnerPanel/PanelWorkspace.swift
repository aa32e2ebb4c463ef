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
  unowned let panel: Panel
  private var stream: EventStream?
  private var runs: [PanelRun] = []
  /// The executions of commands by their own ids.
  var executions: [Int: PanelExecution] = [:]
  /// The executions to which process groups belong.
  private var groups: [Int32: PanelExecution] = [:]
  let errorLines = ErrorLines()
  /// What functions of executions have printed of lines that have not ended.
  var printed: [Int: [UInt8]] = [:]
  var begunLines = BegunLines()

  init(_ host: ScriptHost, _ panel: Panel) {
    self.host = host
    self.panel = panel
    let stream = EventStream(host, [self])
    self.stream = stream
    host.add(self)
    host.add(ofExecutions: self)
    if panel.recordsPrinting { recordPrinting() } else { Terminal.takeOutput(of: host) }
  }

  /// True while something that it has started has not ended.
  var isBusy: Bool {
    !runs.isEmpty || !groups.isEmpty || host.isExecuting || host.ownServices.isBusy
  }

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
    let request = panel.newExecution(of: step.command.name, input: input(of: step), for: nil)
    request.by = press.by
    press.execution = request
    return host.serving(press.caller) {
      let run = PanelRun(self, plan, request, isConfirmed: press.isConfirmed)
      request.run = run
      request.held = []
      runs.append(run)
      run.start()
      return run
    }
  }

  func remove(_ run: PanelRun) { runs.removeAll { $0 === run } }

  func newExecution(of step: Plan.Step, for request: PanelExecution) -> PanelExecution {
    panel.newExecution(of: step.command.name, input: input(of: step), for: request)
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
    if command.takesLines { entry.lines = host.offerInput(to: execution) }
    executions[execution.id] = entry
    entry.record = stream?.follow(execution, of: command)
  }

  /// True if a press has confirmed a call.
  func confirms(_ call: Plan.Call) -> Bool { runs.contains { $0.confirms(call) } }

  // MARK: Changes of executions

  func joined(_ request: PanelExecution, _ other: PanelExecution) {
    if request.held == nil {
      panel.send("joined", request.identity + [("into", "\(other.id)")], of: request)
    }
    panel.executions.remove(request)
    panel.recorder?.remove(request)
    decided(request)
  }

  /// Notes that an execution has failed, or could not begin.
  func failed(_ entry: PanelExecution, _ failure: Failure) {
    guard !entry.isOver else { return }
    end(entry, .failed, failure)
  }

  func cancelled(_ entry: PanelExecution) {
    guard !entry.isOver else { return }
    guard entry.groups > 0 else { return end(entry, .cancelled) }
    panel.noteCancelling(entry)
  }

  func end(
    _ entry: PanelExecution, _ state: PanelExecution.State, _ failure: Failure? = nil
  ) {
    finishPrinting(of: entry, keepingLast: false)
    entry.output.finish()
    entry.lookAtErrors = nil
    entry.begun.end()
    panel.noteEnd(of: entry, as: state, failure)
    release(entry)
    // Those that are kept may still get what their processes write last.
    executions = executions.filter { !$0.value.isOver || panel.executions[$0.value.id] != nil }
    decided(entry)
  }

  /// Releases the command's execution, which keeps values of its own, once nothing more comes of it.
  private func release(_ entry: PanelExecution) {
    guard entry.isOver, entry.groups == 0 else { return }
    entry.execution = nil
    panel.workMayHaveEnded()
    panel.stateMayHaveChanged(entry.command)
  }

  func decided(_ entry: PanelExecution) { entry.onDecided.take()?() }
}

extension PanelWorkspace: HostObserver, ExecutionObserver {
  func hostExecutes(
    _ execution: Execution<LuaValue, LuaValue>, of command: ScriptCommand, within origin: Int
  ) -> Bool {
    panel.stateMayHaveChanged(command.name)
    return false
  }

  func hostHasSecrets(_ host: ScriptHost) -> Bool { panel.recordsPrinting }

  func hostLeftUnhandled(_ failure: Failure) -> Bool {
    panel.feed.send("unhandled", [("error", EventJSON.text(of: failure))])
    return false
  }

  func hostLogged(_ level: LogLevel, _ text: String) {
    panel.feed.send(
      "log",
      [
        ("level", JSONValue.string(level.rawValue).text),
        ("message", JSONValue.string(Secrets.masked(text)).text),
      ])
  }

  func hostBeganGroup(_ leader: Int32, of execution: Int?) {
    panel.onGroup(leader, true)
    guard let entry = execution.flatMap({ executions[$0] }) else { return }
    groups[leader] = entry
    entry.groups += 1
  }

  func hostEndedGroup(_ leader: Int32) {
    panel.onGroup(leader, false)
    guard let entry = groups.removeValue(forKey: leader) else { return }
    entry.groups -= 1
    guard entry.groups == 0 else { return }
    // What the processes have written last comes before the end.
    panel.session.loop.enqueue { [self] in
      guard entry.groups == 0 else { return }
      if entry.state == .cancelling {
        if let record = entry.record { finishErrors(record) }
        end(entry, .cancelled)
      } else {
        release(entry)
      }
    }
  }
}
