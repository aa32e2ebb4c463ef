import RunnerCore
import Scripting

/// The Model Context Protocol over HTTP, a message in each request, for clients that have passed the
/// gate. On the loop's thread.
///
/// Requests stand alone. A session of the revisions with a handshake is no more than a name, by which a
/// call is cancelled, and by whose end executions end that are not detached.
final class MCPDoor: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  static let path = "/mcp"
  static let methods = ["POST", "DELETE"]

  private let tools: any ToolServer & SessionEnding
  /// The calls under way, by their sessions.
  private var calls: [Call: WaitingCall] = [:]
  private let numbers = ToolCallNumbers()

  private struct Call: Hashable {
    let session: String
    let id: RPCID
  }

  /// A call whose response has begun, and has no answer yet.
  private final class WaitingCall {
    let conversation: MCPConversation
    let stream = ServiceStream()

    init(_ conversation: MCPConversation) { self.conversation = conversation }

    func cancel() {
      conversation.cancelAll()
      stream.finish()
    }
  }

  init(_ tools: any ToolServer & SessionEnding) { self.tools = tools }

  func answer(
    _ request: HTTPRequest, _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError) {
    let session = request["mcp-session-id"]
    guard request.method == "POST" else {
      guard let session, !session.isEmpty else {
        throw .request("the header 'Mcp-Session-Id' is missing")
      }
      tools.end(client: session)
      return respond(HTTPResponse(204))
    }
    do throws(RPCRejection) {
      switch try RPCMessage(request.body) {
      case .notification(let method, let parameters):
        if method == "notifications/cancelled", let session,
          let id = parameters?[field: "requestId"].flatMap(RPCID.init)
        {
          calls.removeValue(forKey: Call(session: session, id: id))?.cancel()
        }
        respond(HTTPResponse(202))
      case .response: respond(HTTPResponse(202))
      case .request(let id, let method, let parameters):
        do throws(RPCError) {
          try answer(id, method, parameters, request, session, respond)
        } catch { throw RPCRejection(id, error) }
      }
    } catch {
      let revision = request["mcp-protocol-version"].flatMap(MCPRevision.named)
      respond(.json(error.error.status, RPCText.error(error, to: revision)))
    }
  }

  private func answer(
    _ id: RPCID, _ method: String, _ parameters: JSONValue?, _ request: HTTPRequest,
    _ session: String?, _ respond: @escaping (HTTPResponse) -> Void
  ) throws(RPCError) {
    let client = try client(method, parameters, request)
    var headers: [(name: String, value: String)] = []
    if method == "initialize" {
      guard let name = try? RandomText.make(bytes: 12) else { throw .inside("no randomness") }
      headers.append(("Mcp-Session-Id", name))
    }
    let call = session.map { Call(session: $0, id: id) }
    if let call, calls[call] != nil { throw .request("a request with this id is under way") }
    var answer: JSONValue?
    var stream: ServiceStream?
    let conversation = MCPConversation(
      tools, session: session ?? "", numbers, hasBackChannel: false, client: client
    ) { [unowned self] message in
      guard let stream else {
        answer = message
        return
      }
      if let call { calls[call] = nil }
      stream.send(message)
      stream.finish()
    }
    conversation.receive(request.body)
    if let answer {
      let code = answer[field: "error"]?[field: "code"]?.integer
      return respond(
        .json(Self.status(code, isOfSession: client != nil), answer, headers: headers))
    }
    let waiting = WaitingCall(conversation)
    stream = waiting.stream
    if let call { calls[call] = waiting }
    // A client that leaves does not want the answer any more.
    waiting.stream.onLeave = { [unowned self] in
      if let call, calls[call] === waiting { calls[call] = nil }
      conversation.cancelAll()
      return false
    }
    respond(
      HTTPResponse(
        200, headers: [("Content-Type", "application/json; charset=utf-8")] + headers,
        body: .stream(waiting.stream)))
  }

  private static func status(_ code: Int64?, isOfSession: Bool) -> UInt32 {
    guard let code, !isOfSession else { return 200 }
    return RPCError(code: Int(code), message: "").status
  }

  /// The client of a session with a handshake; nil for a request that tells of its client itself.
  private func client(
    _ method: String, _ parameters: JSONValue?, _ request: HTTPRequest
  ) throws(RPCError) -> MCPConversation.Client? {
    if let version = parameters?[field: "_meta"]?[field: MCPKey.version] {
      try check("MCP-Protocol-Version", version, request)
      try check("Mcp-Method", .string(method), request)
      if method == "tools/call", let name = parameters?[field: "name"] {
        try check("Mcp-Name", name, request)
      }
      if method.hasPrefix("tasks/"), let id = parameters?[field: "taskId"] {
        try check("Mcp-Name", id, request)
      }
      return nil
    }
    guard request.has("mcp-protocol-version") else {
      return MCPConversation.Client(.latestWithHandshake, capabilities: nil)
    }
    let name = request["mcp-protocol-version"] ?? ""
    guard let revision = MCPRevision.named(name) else { throw .version(name) }
    // What such a request lacks, the conversation says.
    return revision.hasHandshake ? MCPConversation.Client(revision, capabilities: nil) : nil
  }

  /// Checks that a header repeats what the body says.
  private func check(
    _ header: String, _ value: JSONValue, _ request: HTTPRequest
  ) throws(RPCError) {
    guard let text = value.string, let given = request[header.lowercased()],
      Self.decoded(given) == text
    else { throw .header(header) }
  }

  /// The text of a header, which stands in Base64 if it is not plain.
  private static func decoded(_ header: String) -> String? {
    let (start, end) = ("=?base64?", "?=")
    guard header.hasPrefix(start), header.hasSuffix(end), header.count >= start.count + end.count
    else { return header }
    let bytes = Base64.bytes(
      of: String(header.dropFirst(start.count).dropLast(end.count)))
    return bytes.flatMap { String(validating: $0, as: UTF8.self) }
  }
}

/// What ends the executions of a session.
protocol SessionEnding: AnyObject {
  /// Ends what a client has started and not detached.
  func end(client: String)
}

extension PanelTools: SessionEnding {}
