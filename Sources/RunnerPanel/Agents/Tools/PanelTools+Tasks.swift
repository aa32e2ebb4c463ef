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
    case .result:
      tell(execution, after: .forever, pending)
    case .update:
      try checkWritable()
      answer(execution, pending.call.arguments[field: "inputResponses"])
      pending.finish(.success(.noted))
    case .end:
      try checkWritable()
      if !execution.isOver { panel.end(execution, by: "agent") }
      pending.finish(.success(.noted))
    case .cancel:
      try checkWritable()
      guard !execution.isOver else {
        return pending.finish(.failure(.parameters("the task has ended: \(task().text)")))
      }
      panel.end(execution, by: "agent")
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

  /// Sends the line with which a person has answered a prompt. A prompt that was answered with no is
  /// not put again; what was answered before is nothing to a task.
  private func answer(_ execution: PanelExecution, _ responses: JSONValue?) {
    guard let prompt = execution.prompt, let response = responses?[field: prompt.key] else {
      return
    }
    let line = response[field: "content"]?[field: ToolTask.line]?.string
    execution.promptIsAnswered()
    guard response[field: "action"]?.string == "accept", let line else { return }
    // One whose process has just ended asks no more.
    try? panel.send(line, to: execution)
  }
}

extension ToolTask {
  /// The name of the field that holds the line.
  static let line = "line"
}

extension PanelExecution {
  /// The name of its task: its number, and what cannot be guessed.
  var taskID: String? { taskKey.map { "\(id)-\($0)" } }

  /// The line that it has begun and not ended since its last answer, if it takes lines.
  var prompt: (key: String, text: String)? {
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
