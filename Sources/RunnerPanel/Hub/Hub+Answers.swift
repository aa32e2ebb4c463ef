import EventLoop
import Platform
import RunnerCore
import Scripting

/// The answers to the clients of a hub.
extension Hub {
  /// Refuses a client of another version or protocol if the hub holds nothing: a hub of the client's takes
  /// its place. If it holds something, it refuses only those that it would misread.
  func checkVersion(of request: HTTPRequest) throws(APIError) {
    // Programs that are not Raclette speak the panel's API.
    guard let version = request["x-raclette-version"] else { return }
    let number = request.segments.flatMap { HubProtocol.read($0)?.number }
    let isUnderstood = number == HubProtocol.number
    if isUnderstood, version == ScriptHost.version { return }
    guard holdsNothing else {
      if isUnderstood { return }
      let error = HubError.otherProtocol(
        file: place.commandFile, process: getpid(), version: ScriptHost.version)
      throw APIError(409, "protocol", error.description)
    }
    isReplaced = true
    session.loop.timer(after: Self.replacement) { [weak self] in self?.look() }
    throw APIError(
      409, "replaced",
      "the hub is from another build of Raclette (\(ScriptHost.version)) and is ending so that its "
        + "client's build can replace it")
  }

  /// A request that waits until the command file is loaded.
  struct Waiting {
    /// The variables of its client, if it has any.
    let sent: HubEnvironment?
    let answer: () -> Void
  }

  /// Answers a request with the definitions that the command file has at this moment, as it reads the
  /// variables of the client.
  ///
  /// - Parameter sent: the variables of the client, if the request has any.
  func answer(
    _ route: HubRoute, _ request: HTTPRequest, _ sent: HubEnvironment?,
    _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError) {
    let isFirst =
      route.takesDefinitions(request.method)
      && (session.changedCommandFile != nil || variables.wereRead(differentlyFrom: sent)
        || panel.loadProblem == nil && (session.host.hasOtherPorts || isOutdated(for: request)))
    // What ends something stays behind the requests that have started it.
    guard isFirst || request.method == "DELETE" && !waiting.isEmpty else {
      return try answerNow(route, request, sent, respond)
    }
    waiting.append(
      Waiting(sent: sent) { [self] in
        do throws(APIError) { try answerNow(route, request, sent, respond) } catch {
          respond(error.response)
        }
      })
    loadForWaiting()
  }

  /// True if a client has another definition of a service: its command file has read something else, such as
  /// a file of data.
  private func isOutdated(for request: HTTPRequest) -> Bool {
    guard
      let words = request[HubRequest.definitionField.lowercased()]?.split(separator: " "),
      words.count == 2, let name = PercentEncoding.decoded(String(words[0])),
      let own = session.host.command(named: name)?.definitionDigest
    else { return false }
    let asked = String(words[1])
    // Where each load has another one, to load once for a client is enough.
    guard own != asked, askedDefinitions.updateValue(asked, forKey: name) != asked else {
      return false
    }
    return true
  }

  private func loadForWaiting() {
    if let first = waiting.lazy.compactMap(\.sent).first { variables.use(first) }
    panel.isReloadWanted = true
  }

  /// Answers the requests that have waited until the command file was loaded, or does not load. Those with
  /// whose variables it would be another one wait for the next load.
  func answerWaiting() {
    var isServed = false
    while let next = waiting.first {
      if isServed, !isOver, variables.wereRead(differentlyFrom: next.sent) {
        return loadForWaiting()
      }
      isServed = isServed || next.sent != nil
      waiting.removeFirst()
      next.answer()
    }
  }

  private func answerNow(
    _ route: HubRoute, _ request: HTTPRequest, _ sent: HubEnvironment?,
    _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError) {
    var request = request
    if let sent {
      // A client that has not loaded the command file does not know what that changes.
      let caller = CallerEnvironment(
        sent.entries, in: sent.folder,
        changes: sent.changes ?? session.host.environment.changes)
      Secrets.add(caller)
      request.caller = caller
    }
    isIdle = false
    // Whoever calls now has found the socket just before its end, and starts another hub.
    if isOver || session.isEnding { throw APIError(409, "replaced", "the hub is ending") }
    switch route {
    case .panel(let route):
      try panel.answer(route, request) { [self] response in
        recordStarted()
        respond(held(response))
      }
    case .guards: try watch(request, respond)
    case .services:
      let query = try Query(request, known: ["name", "now", "unused"])
      let names = query.all("name").map { ServiceName($0) }
      guard try query.flag("now") else { return try end(names, respond) }
      let ends = holder.kill(meant(by: names), unlessUsed: try query.flag("unused"))
      after(ends) { respond(.json(200, .object([]))) }
    case .serviceAction(let name, let action):
      try answer(action, of: name, request, respond)
    case .agent(let client, let route): try answer(route, of: client, request, respond)
    case .hub:
      _ = try Query(request, known: [])
      respond(.json(200, json))
    case .allEvents:
      let hasEnded = try Query(request, known: ["ended"]).flag("ended")
      let reader = EventReader(
        panel.feed,
        of: EventReader.Everything(
          executions: { [panel] in
            panel.executions.all.filter { !$0.isPast && ($0.request ?? $0).held == nil }
          }, hasEnded: hasEnded))
      panel.feed.add(reader)
      respond(Self.events(HeldBytes(reader) {}))
    case .executionEvents(let id):
      _ = try Query(request, known: [])
      let execution = try panel.execution(id)
      let needs = panel.executions.all.filter { $0.request === execution }
      let reader = EventReader(
        panel.feed, following: execution, and: needs, place: panel.feed.ring.first)
      panel.feed.add(reader)
      let bytes = HeldBytes(reader) { [self] in noteSeen(id) }
      respond(Self.events(bytes))
    }
  }

  private static func events(_ bytes: HeldBytes) -> HTTPResponse {
    HTTPResponse(200, headers: [("Content-Type", "text/event-stream")], body: .stream(bytes))
  }

  /// Answers with a stream of lines, whose client learns if the hub ends.
  func respond(with stream: ServiceStream, _ respond: (HTTPResponse) -> Void) {
    clients[ObjectIdentifier(stream)] = stream
    stream.onEnd = { [unowned self, unowned stream] in clients[ObjectIdentifier(stream)] = nil }
    respond(
      HTTPResponse(
        200, headers: [("Content-Type", "application/x-ndjson")], body: .stream(stream)))
  }

  /// A response whose stream ends with its client.
  private func held(_ response: HTTPResponse) -> HTTPResponse {
    guard case .stream(let bytes) = response.body, !(bytes is any HeldStream) else {
      return response
    }
    var response = response
    response.body = .stream(HeldBytes(bytes) {})
    return response
  }

  private var json: JSONValue {
    var own: [(String, JSONValue)] = [
      ("pid", .integer(Int64(getpid()))), ("version", .string(ScriptHost.version)),
      ("file", .string(place.commandFile)), ("started", .number(started)),
    ]
    if let problem = panel.loadProblem {
      own.append(("error", .string(Secrets.masked(problem))))
      if panel.commands.isEmpty { own.append(("defined", .bool(false))) }
    }
    let shown = (panel.executions.active.filter { $0.held == nil } + kept).sorted { $0.id < $1.id }
    return .object([
      ("hub", .object(own)), ("services", .list(holder.json + awaited.map(\.json))),
      ("executions", .list(shown.map(\.json))),
    ])
  }
}
