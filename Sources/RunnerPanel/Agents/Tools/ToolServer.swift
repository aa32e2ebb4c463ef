import Scripting

/// What answers the calls of tools: the panel of this process, or that of the hub. On the loop's thread.
protocol ToolServer: AnyObject {
  /// Lists the tools; the list has the same order each time.
  func listTools(_ done: @escaping (Result<JSONValue, RPCError>) -> Void)

  /// Calls a tool. `done` is called once, and not after the call was cancelled.
  func call(_ call: ToolCall, _ done: @escaping (Result<ToolAnswer, RPCError>) -> Void)

  /// Forgets a call, and cancels the execution that it has started, unless that is detached.
  func cancel(_ call: ToolCall.ID)

  /// Called when the list of tools may be another one.
  var onListChange: () -> Void { get set }
}

/// The numbers of the calls that reach one tool server: no two of them are the same.
final class ToolCallNumbers {
  private var last = 0

  func next() -> Int {
    last += 1
    return last
  }
}

/// The call of a tool, or a request about the task that one has started.
struct ToolCall {
  struct ID: Hashable {
    /// The session of the client, with which ends what it starts; empty for a request that stands alone.
    let client: String
    /// One of the server's `ToolCallNumbers`.
    let number: Int
  }

  enum Kind: String {
    /// The call of a tool.
    case tool
    /// One whose answer is the task of the execution that it starts.
    case taskTool
    /// A `TaskRequest`.
    case task
  }

  private(set) var id: ID
  let kind: Kind
  let name: String
  let arguments: JSONValue
  /// True if the client can put questions to a person.
  var canAsk: Bool
  /// What came with the question that this call repeats with the answer.
  var state: String?
  /// The answer of the person: true to go on.
  var isAccepted: Bool?
  /// The line with which a person has answered the prompt of a task.
  var line: String?
  /// The variables that what it starts begins with; nil for those of the interpreter.
  var caller: CallerEnvironment?

  init(_ id: ID, _ kind: Kind, _ name: String, _ arguments: JSONValue, canAsk: Bool) {
    self.id = id
    self.kind = kind
    self.name = name
    self.arguments = arguments
    self.canAsk = canAsk
  }

  /// The same call as another one.
  func renumbered(_ number: Int) -> ToolCall {
    var call = self
    call.id = ID(client: id.client, number: number)
    return call
  }

  /// Reads what `json` writes.
  init?(_ json: JSONValue, client: String) {
    guard let number = json[field: "call"]?.integer, let name = json[field: "name"]?.string,
      let arguments = json[field: "arguments"],
      let kind = json[field: "kind"]?.string.flatMap(Kind.init)
    else { return nil }
    id = ID(client: client, number: Int(number))
    self.kind = kind
    self.name = name
    self.arguments = arguments
    canAsk = json[field: "can_ask"]?.bool ?? false
    state = json[field: "state"]?.string
    isAccepted = json[field: "accepted"]?.bool
    line = json[field: "line"]?.string
  }

  var json: JSONValue {
    var fields: [(String, JSONValue)] = [
      ("call", .integer(Int64(id.number))), ("kind", .string(kind.rawValue)),
      ("name", .string(name)), ("arguments", arguments), ("can_ask", .bool(canAsk)),
    ]
    if let state { fields.append(("state", .string(state))) }
    if let isAccepted { fields.append(("accepted", .bool(isAccepted))) }
    if let line { fields.append(("line", .string(line))) }
    return .object(fields)
  }
}

/// The answer to the call of a tool.
enum ToolAnswer {
  /// A text for the model, and the same for programs.
  case result(text: String, fields: [(String, JSONValue)], isError: Bool)
  /// A question that a person answers with yes or no, and what is to come back with the answer.
  case question(String, state: String)
  /// The task that a call has started, or that a request was about.
  indirect case task(ToolTask)
  case tasks([ToolTask])
  /// A request about a task was received.
  case noted

  static func failure(_ text: String, _ fields: [(String, JSONValue)] = []) -> ToolAnswer {
    .result(text: text, fields: fields, isError: true)
  }

  /// The execution that it is about.
  var execution: Int? {
    switch self {
    case .result(_, let fields, _):
      fields.first { $0.0 == "number" }?.1.integer.map { Int($0) }
    case .task(let task): task.answer?.execution
    case .question, .tasks, .noted: nil
    }
  }

  /// Reads what `json` writes.
  init?(_ json: JSONValue) {
    if let question = json[field: "question"]?.string, let state = json[field: "state"]?.string {
      self = .question(question, state: state)
    } else if let text = json[field: "text"]?.string {
      var fields: [(String, JSONValue)] = []
      if case .object(let given)? = json[field: "fields"] { fields = given }
      self = .result(text: text, fields: fields, isError: json[field: "is_error"]?.bool ?? false)
    } else if let task = json[field: "task"].flatMap(ToolTask.init) {
      self = .task(task)
    } else if case .list(let tasks)? = json[field: "tasks"] {
      self = .tasks(tasks.compactMap(ToolTask.init))
    } else if json[field: "noted"]?.bool == true {
      self = .noted
    } else {
      return nil
    }
  }

  var json: JSONValue {
    switch self {
    case .question(let question, let state):
      .object([("question", .string(question)), ("state", .string(state))])
    case .result(let text, let fields, let isError):
      .object([
        ("text", .string(text)), ("fields", .object(fields)), ("is_error", .bool(isError)),
      ])
    case .task(let task): .object([("task", task.json)])
    case .tasks(let tasks): .object([("tasks", .list(tasks.map(\.json)))])
    case .noted: .object([("noted", .bool(true))])
    }
  }
}
