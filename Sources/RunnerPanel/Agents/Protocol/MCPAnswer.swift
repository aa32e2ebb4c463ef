import Scripting

extension ToolAnswer {
  /// The result of the request in a revision of the protocol.
  func result(in revision: MCPRevision) -> JSONValue {
    switch self {
    case .task(let task): revision.tasks.created(task, revision)
    case .tasks(let tasks): revision.tasks.list(tasks, revision)
    case .noted: revision.result([])
    case .result(let text, let fields, let isError):
      revision.result([
        ("content", .list([.object([("type", .string("text")), ("text", .string(text))])])),
        ("structuredContent", .object(fields)), ("isError", .bool(isError)),
      ])
    case .question(let text, let state):
      revision.result(
        [
          (
            "inputRequests",
            .object([
              (
                ConfirmationForm.name,
                .object([
                  ("method", .string("elicitation/create")),
                  ("params", .object([("mode", .string("form"))] + ConfirmationForm.fields(text))),
                ])
              )
            ])
          ), ("requestState", .string(state)),
        ], "input_required")
    }
  }
}

/// The question whether a command may be executed, as clients of the protocol see it.
enum ConfirmationForm {
  /// The name of the question, the only one of a result.
  static let name = "confirm"

  /// The form: it has no fields, and to accept it means yes.
  static func fields(_ text: String) -> [(String, JSONValue)] {
    [
      ("message", .string(text)),
      (
        "requestedSchema",
        .object([("type", .string("object")), ("properties", .object([]))])
      ),
    ]
  }

  static func isAccepted(_ answer: JSONValue?) -> Bool {
    guard answer?[field: "action"]?.string == "accept" else { return false }
    return answer?[field: "content"]?[field: name]?.bool != false
  }
}

extension ToolAnswer {
  /// The response to a request, whose call this is the answer to.
  func message(
    to call: ToolCall, _ id: RPCID, _ client: MCPConversation.Client
  ) -> JSONValue {
    let (revision, tasks) = (client.revision, client.revision.tasks)
    switch (call.kind, self) {
    case (.taskTool, .task(let task)): return RPCText.result(id, tasks.created(task, revision))
    case (.task, .task(let task)):
      return RPCText.result(id, tasks.shown(task, revision, canAsk: client.canAsk))
    case (.task, .result):
      let name = call.arguments[field: "taskId"]?.string ?? ""
      return RPCText.result(id, tasks.result(self, ofTask: name, revision))
    case (.taskTool, .result(let text, _, _)):
      // A client that wants a task takes nothing else for it.
      if case .byRequest = tasks { return RPCText.error(id, .parameters(text)) }
    default: break
    }
    return RPCText.result(id, result(in: revision))
  }
}
