import EventLoop
import RunnerCore
import Scripting

/// The tools of agents over the commands of a panel. On the loop's thread.
final class PanelTools: ToolServer, @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  unowned let panel: Panel
  var onListChange: () -> Void = {}
  /// The calls that wait for something.
  private var pending: [ToolCall.ID: PendingCall] = [:]
  /// The executions that end with their client.
  private var owned: [String: Set<Int>] = [:]
  var questions = ToolQuestions()

  init(_ panel: Panel) { self.panel = panel }

  func listTools(_ done: @escaping (Result<JSONValue, RPCError>) -> Void) {
    done(
      .success(
        .list(OwnTool.allCases.map(\.json) + CommandTool.all(of: panel.commands).map(\.json))))
  }

  func call(_ call: ToolCall, _ done: @escaping (Result<ToolAnswer, RPCError>) -> Void) {
    let pending = PendingCall(call) { [self] result in
      self.pending[call.id] = nil
      done(result)
    }
    self.pending[call.id] = pending
    do throws(ToolProblem) {
      if call.kind == .task, let request = TaskRequest(rawValue: call.name) {
        try use(request, pending)
      } else if let tool = OwnTool(rawValue: call.name) {
        try use(tool, try ToolArguments(call.arguments, of: tool), pending)
      } else if let tool = CommandTool.all(of: panel.commands).first(where: { $0.name == call.name }
      ) {
        try run(ToolRun(tool.command.name, input: call.arguments), pending)
      } else {
        pending.finish(.failure(.parameters("unknown tool '\(call.name)'")))
      }
    } catch {
      guard call.kind == .task else { return pending.finish(error.answer) }
      // A method of tasks answers with no result of a tool.
      pending.finish(.failure(.parameters(Secrets.masked(error.text))))
    }
  }

  private func use(
    _ tool: OwnTool, _ arguments: ToolArguments, _ pending: PendingCall
  ) throws(ToolProblem) {
    switch tool {
    case .list: pending.finish(list(arguments.text("filter")))
    case .run: try run(try ToolRun(arguments), pending)
    case .look: try look(arguments, pending)
    case .cancel: try cancel(try execution(arguments.integer("number")), pending)
    case .answer: try answer(arguments, pending)
    }
  }

  func execution(_ number: Int?) throws(ToolProblem) -> PanelExecution {
    do throws(APIError) { return try panel.execution(number ?? 0) } catch {
      throw ToolProblem(error.message, kind: error.kind)
    }
  }

  /// - Throws: `ToolProblem` for a panel that executes nothing.
  func checkWritable() throws(ToolProblem) {
    if panel.isReadOnly { throw ToolProblem(APIError.readOnly.message, kind: "read_only") }
  }

  // MARK: Waiting

  /// Answers with what there is of an execution once it has ended, after a time at the latest.
  func tell(_ execution: PanelExecution, after wait: ToolWait, _ pending: PendingCall) {
    pending.wait(for: execution.id, atMost: wait, on: panel.session.loop) { pending in
      pending.finish(Self.answer(about: execution))
    }
    if execution.isOver { executionHasEnded(execution) }
  }

  static func answer(about execution: PanelExecution) -> ToolAnswer {
    let text = ExecutionText(execution: execution)
    return .result(
      text: text.summary(), fields: text.fields, isError: execution.state == .failed)
  }

  /// Answers the calls that wait for the end of an execution, in the next turn: then all that it has
  /// written is recorded.
  func executionHasEnded(_ execution: PanelExecution) {
    guard !waiting(for: execution).isEmpty else { return }
    panel.session.loop.enqueue { [self] in
      for call in waiting(for: execution) { call.decide() }
    }
  }

  /// The calls that wait for something of an execution.
  func waiting(for execution: PanelExecution) -> [PendingCall] {
    pending.isEmpty ? [] : pending.values.filter { $0.execution == execution.id }
  }

  /// Goes on with the calls that wait until a command is enabled.
  func stateHasChanged(of command: String) {
    for call in pending.values where call.command == command { call.decide() }
  }

  // MARK: The end of clients

  /// Lets an execution end with the client that has started it, unless its request stands alone.
  func own(_ execution: PanelExecution, by client: String) {
    if client.isEmpty { return }
    owned[client, default: []].insert(execution.id)
    owned[client] = owned[client]?.filter { panel.executions[$0]?.isOver == false }
  }

  func cancel(_ call: ToolCall.ID) {
    guard let pending = pending.removeValue(forKey: call) else { return }
    pending.forget()
    guard let number = pending.started, let execution = panel.executions[number],
      !execution.isOver
    else { return }
    panel.end(execution, by: .agent)
  }

  /// Forgets a client and its calls; its executions go on.
  func forget(client: String) {
    if client.isEmpty { return }
    owned[client] = nil
    for (id, call) in pending where id.client == client {
      pending[id] = nil
      call.forget()
    }
  }

  /// Ends what a client has started and not detached.
  func end(client: String) {
    let numbers = owned[client] ?? []
    forget(client: client)
    for number in numbers {
      guard let execution = panel.executions[number], !execution.isOver else { continue }
      panel.end(execution, by: .agent)
    }
  }
}

/// A call of a tool that has no answer yet. On the loop's thread.
final class PendingCall {
  let call: ToolCall
  private var done: ((Result<ToolAnswer, RPCError>) -> Void)?
  /// The execution for whose end it waits.
  private(set) var execution: Int?
  /// The command whose condition it waits for.
  private(set) var command: String?
  /// The execution that it has started, and that ends if the call is cancelled.
  var started: Int?
  private var timer: Timer?
  /// Runs while what it waits for may have come.
  private var quiet: Timer?
  private var onDecision: ((PendingCall) -> Void)?

  init(_ call: ToolCall, _ done: @escaping (Result<ToolAnswer, RPCError>) -> Void) {
    self.call = call
    self.done = done
  }

  /// True if nobody waits for its answer any more.
  var isForgotten: Bool { done == nil }

  /// Calls `body` at the end of an execution, after a time at the latest.
  func wait(
    for execution: Int, atMost wait: ToolWait, on loop: EventLoop,
    _ body: @escaping (PendingCall) -> Void
  ) {
    self.execution = execution
    begin(wait, on: loop, body)
  }

  /// Calls `body` when the state of a command changes, after a time at the latest.
  func wait(
    forCommand command: String, atMost wait: ToolWait, on loop: EventLoop,
    _ body: @escaping (PendingCall) -> Void
  ) {
    self.command = command
    begin(wait, on: loop, body)
  }

  private func begin(
    _ wait: ToolWait, on loop: EventLoop, _ body: @escaping (PendingCall) -> Void
  ) {
    guard !isForgotten else { return }
    onDecision = body
    timer = loop.timer(after: wait.duration) { [weak self] in self?.decide() }
    timer?.unref()
  }

  /// What it waits for has happened, or its time is over.
  func decide() {
    stopWaiting()
    onDecision.take()?(self)
  }

  /// Decides after a time in which this is not called again, if there is still a reason.
  func decide(after time: Duration, on loop: EventLoop, if hasReason: @escaping () -> Bool) {
    quiet?.cancel()
    quiet = loop.timer(after: time) { [weak self] in if hasReason() { self?.decide() } }
    quiet?.unref()
  }

  private func stopWaiting() {
    timer?.cancel()
    timer = nil
    quiet?.cancel()
    quiet = nil
    execution = nil
    command = nil
  }

  func finish(_ answer: ToolAnswer) { finish(.success(answer)) }

  func finish(_ result: Result<ToolAnswer, RPCError>) {
    stopWaiting()
    onDecision = nil
    done.take()?(result)
  }

  /// Nobody waits for the answer any more.
  func forget() {
    stopWaiting()
    onDecision = nil
    done = nil
  }
}
