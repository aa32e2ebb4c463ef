import RunnerCore
import Scripting

/// What a path of a hub's API names for a session of an agent.
enum AgentRoute: Equatable {
  /// The session, as long as its connection.
  case session
  case tools
  case calls
  case call(Int)

  init?(_ segments: some Collection<String>) {
    let segments = Array(segments)
    switch (segments.first, segments.count) {
    case (nil, 0): self = .session
    case ("tools", 1): self = .tools
    case ("calls", 1): self = .calls
    case ("calls", 2):
      guard let number = Int(digits: segments[1]) else { return nil }
      self = .call(number)
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .session: ["POST", "DELETE"]
    case .tools, .calls: ["POST"]
    case .call: ["DELETE"]
    }
  }
}

extension Hub {
  /// Answers the process that speaks with an agent.
  ///
  /// - Parameter client: the name of its session.
  func answer(
    _ route: AgentRoute, of client: String, _ request: HTTPRequest,
    _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError) {
    _ = try Query(request, known: [])
    let tools = panel.tools
    switch route {
    case .session:
      guard request.method == "POST" else {
        tools.end(client: client)
        return respond(.json(200, .object([])))
      }
      let stream = ServiceStream()
      agents[client] = stream
      tools.onListChange = { [unowned self] in
        for stream in agents.values { stream.send(.object([("changed", .string("tools"))])) }
      }
      stream.onLeave = { [unowned self] in
        agents[client] = nil
        tools.forget(client: client)
        return false
      }
      respond(Self.lines(stream))
    case .tools:
      tools.listTools { result in
        if case .success(let list) = result { respond(.json(200, .object([("tools", list)]))) }
      }
    case .calls:
      let document = try? request.body.withUnsafeBytes { try JSONValue(parsing: $0) }
      guard var call = document.flatMap({ ToolCall($0, client: client) }) else {
        throw .request("the body is not a call")
      }
      call.caller = request.caller
      // The head is sent at once: a client without an answer would send the call again.
      let stream = ServiceStream()
      respond(Self.lines(stream))
      tools.call(call) { [unowned self] result in
        recordStarted()
        switch result {
        case .success(let answer):
          if let number = answer.execution { noteSeen(number) }
          stream.send(answer.json)
        case .failure(let error): stream.send(.object([("error", error.json)]))
        }
        stream.finish()
      }
      recordStarted()
    case .call(let number):
      tools.cancel(ToolCall.ID(client: client, number: number))
      respond(.json(200, .object([])))
    }
  }

  private static func lines(_ stream: ServiceStream) -> HTTPResponse {
    HTTPResponse(
      200, headers: [("Content-Type", "application/x-ndjson")], body: .stream(stream))
  }
}
