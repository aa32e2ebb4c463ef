import RunnerCore
import Scripting

/// The tools of agents as the hub of the command file has them. On the loop's thread.
///
/// The hub knows the session by a connection, which keeps it alive between calls. A session that was
/// killed leaves its executions to the hub; one that leaves ends those that are not detached.
final class HubTools: ToolServer, @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  var onListChange: () -> Void = {}
  private let hub: HubClient
  private let name: String
  private var session: HubClient.Call?
  private var hasCalled = false
  private var calls: [ToolCall.ID: HubClient.Call] = [:]

  /// - Parameter name: the name of the session, which no other has.
  init(_ hub: HubClient, name: String) {
    self.hub = hub
    self.name = name
  }

  func listTools(_ done: @escaping (Result<JSONValue, RPCError>) -> Void) {
    enter()
    var answer: JSONValue?
    let call = hub.send(HubRequest("POST", "agents/\(name)/tools"), .start)
    call.onLine = { answer = JSONValue(text: String(decoding: $0, as: UTF8.self)) }
    call.onEnd = { _ in
      // Calls tell why the hub does not answer; the five tools are there in any case.
      let own = JSONValue.list(OwnTool.allCases.map(\.json))
      withExtendedLifetime(call) { done(.success(answer?[field: "tools"] ?? own)) }
    }
  }

  func call(_ call: ToolCall, _ done: @escaping (Result<ToolAnswer, RPCError>) -> Void) {
    enter()
    var answer: JSONValue?
    let exchange = hub.send(
      HubRequest("POST", "agents/\(name)/calls", call.json, from: .unloaded), .start)
    calls[call.id] = exchange
    exchange.onLine = { answer = JSONValue(text: String(decoding: $0, as: UTF8.self)) }
    exchange.onEnd = { [self] error in
      calls[call.id] = nil
      done(result(answer, error))
    }
  }

  private func result(_ answer: JSONValue?, _ error: HubError?) -> Result<ToolAnswer, RPCError> {
    if let error {
      return .success(ToolProblem(error.description, kind: "hub").answer)
    }
    if let problem = answer?[field: "error"], let code = problem[field: "code"]?.integer {
      return .failure(
        RPCError(code: Int(code), message: problem[field: "message"]?.string ?? ""))
    }
    if let answer = answer.flatMap(ToolAnswer.init) { return .success(answer) }
    let lost = HubError.lost(file: hub.place.commandFile, log: hub.place.log)
    return .success(
      ToolProblem("\(lost); look without a number lists what its successor has", kind: "hub")
        .answer)
  }

  func cancel(_ call: ToolCall.ID) {
    calls.removeValue(forKey: call)?.cancel()
    tell(HubRequest("DELETE", "agents/\(name)/calls/\(call.number)")) {}
  }

  /// Sends a request whose answer says nothing.
  private func tell(_ request: HubRequest, _ done: @escaping () -> Void) {
    let call = hub.send(request, .fail)
    call.onEnd = { _ in withExtendedLifetime(call, done) }
  }

  /// Opens the session if it is not open.
  private func enter() {
    hasCalled = true
    guard session == nil else { return }
    let call = hub.send(HubRequest("POST", "agents/\(name)"), .start)
    session = call
    call.onLine = { [unowned self] _ in onListChange() }
    call.onEnd = { [unowned self] _ in session = nil }
  }

  /// Ends what the session has started and not detached, and then the session.
  func leave(_ done: @escaping () -> Void) {
    guard hasCalled else { return done() }
    tell(HubRequest("DELETE", "agents/\(name)")) { [self] in
      session?.cancel()
      session = nil
      done()
    }
  }
}
