import RunnerCore
import Scripting

/// The exchange of messages with one client, in the revision that each of its requests is of. On the
/// loop's thread.
///
/// The message of a cancelled request is never sent.
final class MCPConversation {
  private let tools: any ToolServer
  /// The name of the session, by which its executions are known; empty if each request stands alone.
  private let session: String
  /// True if requests and notifications of the server's own reach the client.
  private let hasBackChannel: Bool
  private let send: (JSONValue) -> Void
  /// The client of a session with a handshake.
  private var client: Client?
  private let numbers: ToolCallNumbers
  /// The calls under way.
  private var calls: [RPCID: ToolCall.ID] = [:]
  /// The questions that a client was asked by requests of our own.
  private var asked: [RPCID: (request: RPCID, call: ToolCall, client: Client)] = [:]
  private var lastQuestion = 0
  private var subscriptions = MCPSubscriptions()

  /// - Parameters:
  ///   - numbers: of all calls that reach `tools`, in other conversations too.
  ///   - client: the client of a session whose handshake was another request.
  ///   - send: sends a message.
  init(
    _ tools: any ToolServer, session: String, _ numbers: ToolCallNumbers, hasBackChannel: Bool,
    client: Client?,
    _ send: @escaping (JSONValue) -> Void
  ) {
    self.tools = tools
    self.session = session
    self.numbers = numbers
    self.hasBackChannel = hasBackChannel
    self.client = client
    self.send = send
  }

  func receive(_ message: some Collection<UInt8>) {
    do throws(RPCRejection) {
      switch try RPCMessage(message) {
      case .request(let id, let method, let parameters):
        do throws(RPCError) { try answer(id, method, parameters) } catch {
          throw RPCRejection(id, error)
        }
      case .notification("notifications/cancelled", let parameters):
        guard let id = parameters?[field: "requestId"].flatMap(RPCID.init) else { return }
        cancel(id)
      case .notification: break
      case .response(let id, let result): take(result, of: id)
      }
    } catch { refuse(error) }
  }

  /// Answers a message that is no request of the protocol.
  func refuse(_ rejection: RPCRejection) {
    send(RPCText.error(rejection, to: client?.revision))
  }

  /// Tells the client that the list of tools may be another one.
  func listHasChanged() {
    subscriptions.listHasChanged.forEach(send)
    if client?.revision.hasHandshake == true {
      send(RPCText.notification(MCPSubscriptions.listHasChanged))
    }
  }

  // MARK: Requests

  private func answer(
    _ id: RPCID, _ method: String, _ parameters: JSONValue?
  ) throws(RPCError) {
    let client = try client(of: method, parameters)
    guard let kind = client.revision.methods[method] else { throw .method(method) }
    let revision = client.revision
    switch kind {
    case .initialize: try initialize(id, parameters)
    case .ping: send(RPCText.result(id, revision.result([])))
    case .discover:
      send(
        RPCText.result(
          id,
          revision.result(
            [
              ("supportedVersions", .list(MCPRevision.all.map { .string($0.name) })),
              ("capabilities", capabilities(in: revision)),
              ("instructions", .string(MCPFacts.instructions)),
            ], isCacheable: true)))
    case .listTools:
      try checkCursor(parameters)
      let call = try begin(id)
      tools.listTools { [self] result in
        guard finish(id, call) else { return }
        switch result {
        case .success(let tools):
          var list = tools
          if case .list(let all) = tools { list = .list(all.map(revision.tasks.listed)) }
          send(RPCText.result(id, revision.result([("tools", list)], isCacheable: true)))
        case .failure(let error): send(RPCText.error(id, error))
        }
      }
    case .callTool: try callTool(id, parameters, client)
    case .listen: try listen(id, parameters, client)
    case .task(let request): try ask(about: request, id, parameters, client)
    }
  }

  /// The client of a request.
  private func client(
    of method: String, _ parameters: JSONValue?
  ) throws(RPCError) -> Client {
    if let client = try Client(namedIn: parameters) ?? client { return client }
    let ungreeted = MCPRevision.latestWithHandshake
    if ["initialize", "ping"].contains(method) { return Client(ungreeted, capabilities: nil) }
    guard MCPRevision.all.contains(where: { $0.methods[method] != nil }) else {
      throw .method(method)
    }
    throw .parameters(
      "params._meta lacks '\(MCPKey.version)' and '\(MCPKey.capabilities)'; a client of an earlier "
        + "revision sends 'initialize' first")
  }

  private func initialize(_ id: RPCID, _ parameters: JSONValue?) throws(RPCError) {
    guard let wanted = parameters?[field: "protocolVersion"]?.string else {
      throw .parameters("field 'protocolVersion' must be a string")
    }
    guard let capabilities = parameters?[field: "capabilities"], case .object = capabilities else {
      throw .parameters("field 'capabilities' must be an object")
    }
    let known = MCPRevision.named(wanted).flatMap { $0.hasHandshake ? $0 : nil }
    let revision = known ?? .latestWithHandshake
    client = Client(revision, capabilities: hasBackChannel ? capabilities : nil)
    send(
      RPCText.result(
        id,
        .object([
          ("protocolVersion", .string(revision.name)),
          ("capabilities", self.capabilities(in: revision)),
          ("serverInfo", MCPFacts.server), ("instructions", .string(MCPFacts.instructions)),
        ])))
  }

  /// What the server can do for this client.
  private func capabilities(in revision: MCPRevision) -> JSONValue {
    .object(
      [("tools", .object([("listChanged", .bool(hasBackChannel))]))]
        + revision.tasks.capabilities)
  }

  private func checkCursor(_ parameters: JSONValue?) throws(RPCError) {
    switch parameters?[field: "cursor"] {
    case nil, .null: return
    default: throw .parameters("the list has one page: there is no such cursor")
    }
  }

  // MARK: Calls

  private func begin(_ id: RPCID) throws(RPCError) -> ToolCall.ID {
    try checkIsNew(id)
    let call = ToolCall.ID(client: session, number: numbers.next())
    calls[id] = call
    return call
  }

  private func checkIsNew(_ id: RPCID) throws(RPCError) {
    guard calls[id] == nil, !subscriptions.contains(id) else {
      throw .request("a request with this id is under way")
    }
  }

  /// Notes that a request gets its answer.
  ///
  /// - Returns: false if it was cancelled: it gets none.
  private func finish(_ id: RPCID, _ call: ToolCall.ID) -> Bool {
    guard calls[id] == call else { return false }
    calls[id] = nil
    return true
  }

  private func callTool(
    _ id: RPCID, _ parameters: JSONValue?, _ client: Client
  ) throws(RPCError) {
    guard let name = parameters?[field: "name"]?.string else {
      throw .parameters("field 'name' must be a string")
    }
    let arguments = try arguments(of: parameters)
    let kind = try client.revision.tasks.kind(
      ofCallTo: name, parameters, isDeclared: client.takesTasks)
    var call = ToolCall(try begin(id), kind, name, arguments, canAsk: client.canAsk)
    if client.revision.asksByResult, let answers = parameters?[field: "inputResponses"] {
      call.state = parameters?[field: "requestState"]?.string
      call.isAccepted = ConfirmationForm.isAccepted(answers[field: ConfirmationForm.name])
    }
    pass(call, id, client)
  }

  private func arguments(of parameters: JSONValue?) throws(RPCError) -> JSONValue {
    switch parameters?[field: "arguments"] {
    case nil, .null: return .object([])
    case .object(let fields): return .object(fields)
    default: throw .parameters("field 'arguments' must be an object")
    }
  }

  /// Passes on a request about a task.
  private func ask(
    about request: TaskRequest, _ id: RPCID, _ parameters: JSONValue?, _ client: Client
  ) throws(RPCError) {
    if case .byClient = client.revision.tasks, !client.takesTasks {
      throw .lacks(extension: MCPKey.tasks)
    }
    if request == .list {
      try checkCursor(parameters)
    } else {
      guard parameters?[field: "taskId"]?.string != nil else {
        throw .parameters("field 'taskId' must be a string")
      }
    }
    if request == .update {
      guard case .object? = parameters?[field: "inputResponses"] else {
        throw .parameters("field 'inputResponses' must be an object")
      }
    }
    pass(
      ToolCall(
        try begin(id), .task, request.rawValue, parameters ?? .object([]), canAsk: client.canAsk),
      id, client)
  }

  private func pass(_ call: ToolCall, _ id: RPCID, _ client: Client) {
    tools.call(call) { [self] result in
      guard calls[id] == call.id else { return }
      switch result {
      case .success(.question(let text, let state)) where !client.revision.asksByResult:
        return ask(.object(ConfirmationForm.fields(text)), state, call, id, client)
      case .success(.task(let task)) where call.isForResultOfTask:
        return ask(about: task, call, id, client)
      case .success(let answer): send(answer.message(to: call, id, client))
      case .failure(let error): send(RPCText.error(id, error))
      }
      calls[id] = nil
      withdrawQuestions(of: id)
    }
  }

  // MARK: Questions

  /// Asks by a request of our own; the call is repeated with the answer.
  ///
  /// - Parameter state: tells which question was answered.
  private func ask(
    _ form: JSONValue, _ state: String, _ call: ToolCall, _ id: RPCID, _ client: Client
  ) {
    lastQuestion += 1
    let own = RPCID.text("question-\(lastQuestion)")
    var call = call
    call.state = state
    asked[own] = (id, call, client)
    send(RPCText.request(own, "elicitation/create", form))
  }

  /// Asks for the line that a task waits for. The result follows when the task has ended.
  private func ask(about task: ToolTask, _ call: ToolCall, _ id: RPCID, _ client: Client) {
    guard case .waitsForLine(let key, let prompt) = task.state else {
      return pass(call, id, client)
    }
    ask(MCPTasks.question(prompt, ofTask: task.id), key, call, id, client)
    // It may end before the person answers.
    var waiting = call.renumbered(numbers.next())
    (waiting.canAsk, waiting.state, waiting.line) = (false, nil, nil)
    calls[id] = waiting.id
    pass(waiting, id, client)
  }

  /// Takes back the questions of a request that has its answer.
  private func withdrawQuestions(of id: RPCID) {
    for (question, asked) in asked where asked.request == id {
      self.asked[question] = nil
      send(
        RPCText.notification(
          "notifications/cancelled", .object([("requestId", question.json)])))
    }
  }

  /// Takes the answer to a question. An error means that the person was not asked.
  private func take(_ result: JSONValue?, of id: RPCID?) {
    guard let id, var question = asked.removeValue(forKey: id),
      let present = calls[question.request]
    else { return }
    if present != question.call.id {
      tools.cancel(present)
      question.call = question.call.renumbered(numbers.next())
      calls[question.request] = question.call.id
    }
    question.call.isAccepted = ConfirmationForm.isAccepted(result)
    question.call.line = ToolTask.line(in: result)
    pass(question.call, question.request, question.client)
  }

  // MARK: Subscriptions and cancellation

  private func listen(
    _ id: RPCID, _ parameters: JSONValue?, _ client: Client
  ) throws(RPCError) {
    guard hasBackChannel else { throw .method("subscriptions/listen") }
    try checkIsNew(id)
    send(try subscriptions.begin(id, parameters, client))
  }

  private func cancel(_ id: RPCID) {
    subscriptions.end(id)
    guard let call = calls.removeValue(forKey: id) else { return }
    asked = asked.filter { $0.value.request != id }
    tools.cancel(call)
  }

  /// True while a request waits for its answer, and not for that of the client to a question.
  var isBusy: Bool {
    calls.keys.contains { id in !asked.values.contains { $0.request == id } }
  }

  /// Forgets all requests: the client has left. Nothing more is sent.
  func close() {
    calls = [:]
    asked = [:]
    subscriptions = MCPSubscriptions()
    client = nil
  }

  /// Cancels what is under way: the client of a single request has left.
  func cancelAll() {
    for id in Array(calls.keys) { cancel(id) }
  }
}
