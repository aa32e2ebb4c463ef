import Platform
import RunnerCore
import Scripting

/// Executions as tasks of the protocol. A task goes on when its client has left, and whoever has its
/// name reads its result.
extension PanelTools {
  func use(_ request: TaskRequest, _ pending: PendingCall) throws(ToolProblem) {
    if request == .list { return pending.finish(.success(.tasks(tasks))) }
    let id = pending.call.arguments[field: "taskId"]?.string ?? ""
    guard let execution = execution(ofTask: id) else {
      return pending.finish(
        .failure(.parameters("there is no task '\(id)', or it is no longer kept")))
    }
    let task = { ToolTask(execution, id: id) }
    switch request {
    case .get, .list: pending.finish(.success(.task(task())))
    case .result: try result(of: execution, id, pending)
    case .update:
      try checkWritable()
      if let prompt = execution.prompt(),
        let response = pending.call.arguments[field: "inputResponses"]?[field: prompt.key]
      {
        answer(execution, prompt.key, ToolTask.line(in: response))
      }
      pending.finish(.success(.noted))
    case .end:
      try checkWritable()
      if !execution.isOver { panel.end(execution, by: .agent) }
      pending.finish(.success(.noted))
    case .cancel:
      try checkWritable()
      guard !execution.isOver else {
        return pending.finish(.failure(.parameters("the task has ended: \(task().text)")))
      }
      panel.end(execution, by: .agent)
      // What has no process may have ended at once.
      guard !execution.isOver else { return pending.finish(.success(.task(task()))) }
      pending.wait(for: execution.id, atMost: .forever, on: panel.session.loop) { pending in
        pending.finish(.success(.task(task())))
      }
    }
  }

  /// Makes an execution a task, unless it is one already.
  func task(of execution: PanelExecution) -> ToolTask? {
    if execution.taskKey == nil { execution.taskKey = try? RandomText.make(bytes: 12) }
    return execution.taskID.map { ToolTask(execution, id: $0) }
  }

  private var tasks: [ToolTask] {
    panel.executions.all.compactMap { execution in
      execution.taskID.map { ToolTask(execution, id: $0) }
    }
  }

  private func execution(ofTask id: String) -> PanelExecution? {
    guard let number = Int(digits: String(id.prefix { $0 != "-" })) else { return nil }
    return panel.executions[number].flatMap { $0.taskID == id ? $0 : nil }
  }

  /// Answers with the result of a task once it has ended, and before that with the task itself where
  /// its client can ask a person for the line that it waits for. The client repeats the request with
  /// the person's answer.
  private func result(
    of execution: PanelExecution, _ id: String, _ pending: PendingCall
  ) throws(ToolProblem) {
    if let key = pending.call.state {
      try checkWritable()
      answer(execution, key, pending.call.line)
    }
    pending.wait(for: execution.id, atMost: .forever, on: panel.session.loop) { pending in
      pending.finish(
        execution.isOver
          ? Self.answer(about: execution) : .task(ToolTask(execution, id: id)))
    }
    if execution.isOver { return executionHasEnded(execution) }
    lineHasBegun(of: execution)
  }

  /// For how long nothing follows a prompt: a line that is still written, or drawn again, is none.
  private static let quiet = Duration.milliseconds(200)

  /// Answers the calls that wait for the prompt of a task.
  func lineHasBegun(of execution: PanelExecution) {
    for call in waiting(for: execution) where call.call.asksForLines {
      call.decide(after: Self.quiet, on: panel.session.loop) { execution.prompt() != nil }
    }
  }

  /// Sends the line with which a person has answered a prompt; nil says no. A prompt that was answered
  /// with no is not put again; what was answered before is nothing to a task.
  private func answer(_ execution: PanelExecution, _ key: String, _ line: String?) {
    guard execution.prompt()?.key == key else { return }
    execution.promptIsAnswered()
    // One whose process has just ended asks no more.
    if let line { try? panel.send(line, to: execution) }
  }
}

extension ToolCall {
  /// True if it asks for the result of a task, for a client that can ask a person for lines.
  fileprivate var asksForLines: Bool { isForResultOfTask && canAsk }

  /// True if it waits for the end of a task.
  var isForResultOfTask: Bool { kind == .task && name == TaskRequest.result.rawValue }
}

extension ToolTask {
  /// The name of the field that holds the line.
  static let line = "line"

  /// The line with which a person has answered a prompt; nil for no.
  static func line(in response: JSONValue?) -> String? {
    guard response?[field: "action"]?.string == "accept" else { return nil }
    return response?[field: "content"]?[field: line]?.string
  }
}

extension PanelExecution {
  /// The name of its task: its number, and what cannot be guessed.
  var taskID: String? { taskKey.map { "\(id)-\($0)" } }

  /// The line that it has begun and not ended since its last answer, if it takes lines.
  func prompt() -> (key: String, text: String)? {
    lookAtErrors?()
    guard lines != nil, state == .running, begun.version != answeredVersion, !begun.bytes.isEmpty
    else { return nil }
    let text = begun.bytes.withUnsafeBytes { AgentReport.text(of: $0) }
    return ("line-\(answeredPrompts + 1)", text)
  }

  func promptIsAnswered() {
    answeredPrompts += 1
    answeredVersion = begun.version
  }
}
