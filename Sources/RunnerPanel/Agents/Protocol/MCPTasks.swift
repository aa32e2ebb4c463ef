import Platform
import Scripting

/// How a revision has tasks: calls that are answered at once with the name of what goes on.
enum MCPTasks {
  case none
  /// The client wants one in the parameters of a call, and gets the result by a request of its own.
  case byRequest
  /// The server makes one of each call that starts something, for clients that have the extension.
  case byClient

  var methods: [String: MCPMethod] {
    switch self {
    case .none: [:]
    case .byRequest:
      [
        "tasks/get": .task(.get), "tasks/result": .task(.result), "tasks/list": .task(.list),
        "tasks/cancel": .task(.cancel),
      ]
    case .byClient:
      [
        "tasks/get": .task(.get), "tasks/update": .task(.update), "tasks/cancel": .task(.end),
      ]
    }
  }

  /// What the server tells of it.
  var capabilities: [(String, JSONValue)] {
    let nothing = JSONValue.object([])
    switch self {
    case .none: return []
    case .byRequest:
      let calls = JSONValue.object([("tools", .object([("call", nothing)]))])
      return [("tasks", .object([("list", nothing), ("cancel", nothing), ("requests", calls)]))]
    case .byClient: return [("extensions", .object([(MCPKey.tasks, nothing)]))]
    }
  }

  /// True if the capabilities of a client have the extension.
  func areDeclared(in capabilities: JSONValue?) -> Bool {
    guard case .byClient = self,
      case .object? = capabilities?[field: "extensions"]?[field: MCPKey.tasks]
    else { return false }
    return true
  }

  /// How a tool is listed: which of them may be called as tasks, clients have to know that ask for it.
  func listed(_ tool: JSONValue) -> JSONValue {
    guard case .byRequest = self, case .object(let fields) = tool,
      Self.mayBeTask(tool[field: "name"]?.string ?? "")
    else { return tool }
    return .object(fields + [("execution", .object([("taskSupport", .string("optional"))]))])
  }

  /// True for tools that execute a command, whatever their arguments.
  private static func mayBeTask(_ tool: String) -> Bool {
    guard let own = OwnTool(rawValue: tool) else { return true }
    return own == .run
  }

  /// How a client calls a tool.
  ///
  /// - Throws: `RPCError` for a task of a tool that has none.
  func kind(
    ofCallTo tool: String, _ parameters: JSONValue?, isDeclared: Bool
  ) throws(RPCError) -> ToolCall.Kind {
    switch self {
    case .none: return .tool
    case .byClient:
      return isDeclared && (tool == OwnTool.answer.rawValue || Self.mayBeTask(tool))
        ? .taskTool : .tool
    case .byRequest:
      guard let wish = parameters?[field: "task"] else { return .tool }
      guard case .object = wish else { throw .parameters("field 'task' must be an object") }
      guard Self.mayBeTask(tool) else { throw .noTask(tool) }
      return .taskTool
    }
  }

  /// The answer to a call that has started a task.
  func created(_ task: ToolTask, _ revision: MCPRevision) -> JSONValue {
    if case .byClient = self { return revision.result(fields(of: task), "task") }
    return .object([("task", .object(fields(of: task)))])
  }

  /// A task as it is now, for a client that has asked.
  func shown(_ task: ToolTask, _ revision: MCPRevision, canAsk: Bool) -> JSONValue {
    var fields = fields(of: task, canAsk: canAsk)
    if case .byClient = self {
      switch task.state {
      case .waitsForLine(let key, let prompt) where canAsk:
        fields.append(("inputRequests", .object([(key, Self.request(prompt))])))
      case .ended, .failed:
        if let answer = task.answer {
          fields.append(("result", answer.result(in: revision)))
        }
      case .working, .waitsForLine, .cancelled: break
      }
    }
    return revision.result(fields)
  }

  func list(_ tasks: [ToolTask], _ revision: MCPRevision) -> JSONValue {
    revision.result([("tasks", .list(tasks.map { .object(fields(of: $0)) }))])
  }

  /// The result of a tool that was called as a task.
  func result(_ answer: ToolAnswer, ofTask id: String, _ revision: MCPRevision) -> JSONValue {
    let result = answer.result(in: revision)
    guard case .object(let fields) = result else { return result }
    return .object(fields + [Self.related(to: id)])
  }

  /// The task that a message is about, among its fields.
  private static func related(to id: String) -> (String, JSONValue) {
    ("_meta", .object([(MCPKey.relatedTask, .object([("taskId", .string(id))]))]))
  }

  private func fields(of task: ToolTask, canAsk: Bool = false) -> [(String, JSONValue)] {
    let isOwn = if case .byClient = self { true } else { false }
    return [
      ("taskId", .string(task.id)), ("status", .string(status(of: task, canAsk: canAsk))),
      ("statusMessage", .string(task.text)),
      ("createdAt", .string(timeText(ofUTC: task.created) + "Z")),
      ("lastUpdatedAt", .string(timeText(ofUTC: task.updated) + "Z")),
      (isOwn ? "ttlMs" : "ttl", .null), (isOwn ? "pollIntervalMs" : "pollInterval", .integer(1000)),
    ]
  }

  private func status(of task: ToolTask, canAsk: Bool) -> String {
    switch task.state {
    case .working: "working"
    case .waitsForLine: canAsk ? "input_required" : "working"
    case .ended: "completed"
    // Where the server decides on tasks, a tool that fails has completed: its result tells how.
    case .failed: if case .byClient = self { "completed" } else { "failed" }
    case .cancelled: "cancelled"
    }
  }

  /// The question for the line that an execution waits for, to be asked by the client.
  private static func request(_ prompt: String) -> JSONValue {
    .object([
      ("method", .string("elicitation/create")), ("params", .object(form(prompt))),
    ])
  }

  private static func form(_ prompt: String) -> [(String, JSONValue)] {
    let line = JSONValue.object([("type", .string("string"))])
    return [
      ("mode", .string("form")), ("message", .string(prompt)),
      (
        "requestedSchema",
        .object([
          ("type", .string("object")), ("properties", .object([(ToolTask.line, line)])),
          ("required", .list([.string(ToolTask.line)])),
        ])
      ),
    ]
  }

  /// The parameters of a request of our own that asks for the line of a task.
  static func question(_ prompt: String, ofTask id: String) -> JSONValue {
    .object(form(prompt) + [related(to: id)])
  }
}
