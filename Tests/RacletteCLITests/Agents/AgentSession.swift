import Platform
import Testing

/// `raclette mcp` at work, and its client. Its methods block; tests call them inside `onThread`.
final class AgentSession: @unchecked Sendable {
  // Unchecked: each belongs to the one thread of its test.

  let running: Running
  private var lastID = 0
  private let revision: Revision

  enum Revision {
    /// The one with `initialize`, for a client that cannot ask its user, and for one that can.
    case previous, previousAsking
    case current, currentAsking
    /// That can ask its user, and takes tasks.
    case currentTasking
  }

  init(_ folder: HubFolder, _ revision: Revision = .previous) {
    var launch = folder.launch("mcp")
    launch.input = .open
    running = Running(launch)
    self.revision = revision
    switch revision {
    case .previous: greet("{}")
    case .previousAsking: greet(#"{"elicitation":{}}"#)
    case .current, .currentAsking, .currentTasking: break
    }
  }

  private func greet(_ capabilities: String) {
    send(
      #"{"jsonrpc":"2.0","id":"greeting","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":\#(capabilities),"clientInfo":{"name":"test","version":"1"}}}"#
    )
    send(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
    _ = answer(to: #""greeting""#)
  }

  private var meta: String {
    let capabilities =
      switch revision {
      case .previous, .previousAsking, .current: "{}"
      case .currentAsking: #"{"elicitation":{"form":{}}}"#
      case .currentTasking:
        #"{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#
      }
    switch revision {
    case .previous, .previousAsking: return ""
    case .current, .currentAsking, .currentTasking:
      return
        #","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":\#(capabilities)}"#
    }
  }

  /// Writes a line.
  func send(_ line: String) { running.send(line + "\n") }

  /// Sends the call of a tool.
  ///
  /// - Parameter more: further fields of the parameters, each behind a comma.
  /// - Returns: the id of the request.
  @discardableResult
  func begin(_ tool: String, _ arguments: String = "{}", more: String = "") -> String {
    lastID += 1
    send(
      #"{"jsonrpc":"2.0","id":\#(lastID),"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)\#(more)\#(meta)}}"#
    )
    return "\(lastID)"
  }

  /// Sends a request and waits for its answer.
  ///
  /// - Parameter parameters: the fields of its parameters.
  func ask(
    _ method: String, _ parameters: String, sourceLocation: SourceLocation = #_sourceLocation
  ) -> String {
    answer(to: request(method, parameters), sourceLocation: sourceLocation)
  }

  /// Sends a request.
  ///
  /// - Returns: its id.
  func request(_ method: String, _ parameters: String) -> String {
    lastID += 1
    send(
      #"{"jsonrpc":"2.0","id":\#(lastID),"method":"\#(method)","params":{\#(parameters)\#(meta)}}"#)
    return "\(lastID)"
  }

  /// Calls a tool and waits for its answer.
  ///
  /// - Returns: the message without what frames each answer, with `TIME` for times.
  func call(
    _ tool: String, _ arguments: String = "{}", more: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> String {
    answer(to: begin(tool, arguments, more: more), sourceLocation: sourceLocation)
  }

  /// Waits for the answer to a request.
  func answer(to id: String, sourceLocation: SourceLocation = #_sourceLocation) -> String {
    let head = #"{"jsonrpc":"2.0","id":\#(id),"#
    guard running.waitForOutput(head, sourceLocation: sourceLocation) else { return "" }
    running.waitForOutput("\n", count: lines.count, sourceLocation: sourceLocation)
    let line = lines.first { $0.hasPrefix(head) } ?? ""
    return String(line.dropFirst(head.count).dropLast()).replacingDurations()
      .replacing(
        #","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"raclette","version":"0.1.0"}}"#,
        with: "")
  }

  /// The messages so far.
  var lines: [String] { running.output.split(separator: "\n").map(String.init) }

  /// Closes its standard input, and waits for its end.
  func leave() -> Outcome {
    running.endInput()
    return running.finish()
  }
}

/// An answer of a tool, as `AgentSession.call` returns it.
func toolResult(_ text: String, _ fields: String, isError: Bool = false) -> String {
  let quoted = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    .replacing("\n", with: "\\n")
  return
    #""result":{"content":[{"type":"text","text":"\#(quoted)"}],"structuredContent":{\#(fields)},"isError":\#(isError)}"#
}
