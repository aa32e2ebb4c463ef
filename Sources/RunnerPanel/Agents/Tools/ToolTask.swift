import RunnerCore
import Scripting

/// What a client asks about a task of the protocol, which is an execution.
enum TaskRequest: String {
  case get
  /// The answer of the tool, once the task has ended.
  case result
  case list
  /// Answers what a task has asked.
  case update
  /// Ends it. Answers at once, of what has ended, too.
  case end
  /// Ends it. Answers when nothing of it is left, and refuses what has ended.
  case cancel
}

/// An execution as a task of the protocol.
struct ToolTask {
  enum State {
    case working
    /// It has begun a line without an end, and its command takes lines.
    case waitsForLine(key: String, prompt: String)
    case ended, failed, cancelled
  }

  let id: String
  let state: State
  /// The line about it.
  let text: String
  /// Seconds since 1970.
  let created: Double
  let updated: Double
  /// That of its tool; nil while it goes on.
  let answer: ToolAnswer?

  init(_ execution: PanelExecution, id: String) {
    let text = ExecutionText(execution: execution)
    self.id = id
    self.text = text.line
    created = execution.created
    updated =
      execution.ended ?? execution.retries.last ?? execution.started ?? execution.created
    answer = execution.isOver ? PanelTools.answer(about: execution) : nil
    state =
      switch execution.state {
      case .completed: .ended
      case .failed: .failed
      case .cancelled: .cancelled
      case .waiting, .queued, .running, .cancelling:
        execution.prompt().map { .waitsForLine(key: $0.key, prompt: $0.text) } ?? .working
      }
  }

  // MARK: Between the hub and the process that speaks with the client

  init?(_ json: JSONValue) {
    guard let id = json[field: "id"]?.string, let text = json[field: "text"]?.string,
      let created = json[field: "created"]?.seconds, let updated = json[field: "updated"]?.seconds
    else { return nil }
    (self.id, self.text, self.created, self.updated) = (id, text, created, updated)
    answer = json[field: "answer"].flatMap(ToolAnswer.init)
    switch json[field: "state"]?.string {
    case "working": state = .working
    case "line":
      state = .waitsForLine(
        key: json[field: "key"]?.string ?? "", prompt: json[field: "prompt"]?.string ?? "")
    case "ended": state = .ended
    case "failed": state = .failed
    case "cancelled": state = .cancelled
    default: return nil
    }
  }

  var json: JSONValue {
    var fields: [(String, JSONValue)] = [
      ("id", .string(id)), ("text", .string(text)), ("created", .number(created)),
      ("updated", .number(updated)),
    ]
    switch state {
    case .working: fields.append(("state", .string("working")))
    case .waitsForLine(let key, let prompt):
      fields.append(("state", .string("line")))
      fields.append(("key", .string(key)))
      fields.append(("prompt", .string(prompt)))
    case .ended: fields.append(("state", .string("ended")))
    case .failed: fields.append(("state", .string("failed")))
    case .cancelled: fields.append(("state", .string("cancelled")))
    }
    if let answer { fields.append(("answer", answer.json)) }
    return .object(fields)
  }
}
