import EventLoop
import Platform
import RunnerCore
import Scripting

/// The server of a hub: the API of the panel for this user's processes, with what only a hub has. On
/// the loop's thread.
///
/// The user behind a connection takes the place of the panel's token, and no page reaches a socket in the
/// file system.
final class HubDoor: HTTPHandler {
  private unowned let hub: Hub
  let bodyLimit = HTTPLimits.bodyWithVariables

  init(_ hub: Hub) { self.hub = hub }

  func accepts(_ descriptor: Int32) -> Bool { LocalSocket.user(behind: descriptor) == getuid() }

  func refusal(of request: HTTPRequest) -> HTTPResponse? {
    do {
      try hub.checkVersion(of: request)
      let route = try route(of: request)
      guard route.methods.contains(request.method) else {
        throw APIError.method(request.method, allowed: route.methods)
      }
      try Gate.checkBody(of: request, atMost: bodyLimit)
    } catch { return signed((error as? APIError ?? .path(request.path)).response) }
    return nil
  }

  func answer(_ request: HTTPRequest, _ respond: @escaping (HTTPResponse) -> Void) {
    do throws(APIError) {
      var request = request
      let sent = try takeVariables(from: &request)
      try hub.answer(try route(of: request), request, sent) { [self] in respond(signed($0)) }
    } catch { respond(signed(error.response)) }
  }

  /// Takes the variables of the client from the end of a body, if there are any.
  private func takeVariables(from request: inout HTTPRequest) throws(APIError) -> HubEnvironment? {
    guard request.has(HubEnvironment.field.lowercased()) else { return nil }
    guard let count = request[HubEnvironment.field.lowercased()].flatMap(Int.init(digits:)),
      count <= request.body.count
    else { throw .request("\(HubEnvironment.field) must be the length of a part of the body") }
    let sent = HubEnvironment(request.body.suffix(count))
    request.body.removeLast(count)
    return sent
  }

  private func route(of request: HTTPRequest) throws(APIError) -> HubRoute {
    let segments = request.segments.map { HubProtocol.read($0)?.segments ?? $0 }
    guard let route = segments.flatMap(HubRoute.init) else { throw .path(request.path) }
    return route
  }

  private func signed(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    response.headers.append(("X-Raclette-Version", ScriptHost.version))
    response.headers.append((HubProtocol.field, String(HubProtocol.number)))
    return response
  }
}

/// What a path of a hub's API names.
enum HubRoute {
  /// What the API of a panel has, too.
  case panel(Route)
  case hub
  /// The events and the output of all executions.
  case allEvents
  /// The events and the output of an execution, from its beginning to its end.
  case executionEvents(Int)
  /// The records of clients, by which what they leave is ended.
  case guards
  /// The services, which end together.
  case services
  /// What a client uses, watches or reads of a service, or does with it.
  case serviceAction(String, ServiceAction)
  /// What the process that speaks with an agent asks for in its session.
  case agent(String, AgentRoute)

  enum ServiceAction: String {
    /// A use that lasts as long as the connection.
    case uses
    case watches
    case lines
    /// A use of a service that runs, which lasts until `down`.
    case holds
    case restart
  }

  init?(_ segments: [String]) {
    if let route = Route(segments) {
      self = .panel(route)
      return
    }
    guard segments.starts(with: ["api", "v1"]) else { return nil }
    let rest = Array(segments.dropFirst(2))
    switch (rest.first, rest.count) {
    case ("hub", 1): self = .hub
    case ("executions", 2):
      guard rest[1] == "events" else { return nil }
      self = .allEvents
    case ("executions", 3):
      guard rest[2] == "events", let id = Int(digits: rest[1]) else { return nil }
      self = .executionEvents(id)
    case ("guards", 1): self = .guards
    case ("services", 1): self = .services
    case ("services", 3):
      guard let action = ServiceAction(rawValue: rest[2]) else { return nil }
      self = .serviceAction(rest[1], action)
    case ("agents", 2...):
      guard !rest[1].isEmpty, let route = AgentRoute(rest.dropFirst(2)) else { return nil }
      self = .agent(rest[1], route)
    default: return nil
    }
  }

  /// True if the answer to a method of it depends on the definitions of the command file.
  func takesDefinitions(_ method: String) -> Bool {
    switch self {
    case .hub: true
    case .panel(let route): method == "POST" || route == .commands
    case .guards, .allEvents, .executionEvents: false
    case .services, .serviceAction, .agent: method == "POST"
    }
  }

  var methods: [String] {
    switch self {
    case .panel(let route): route.methods
    case .agent(_, let route): route.methods
    case .hub, .allEvents, .executionEvents: ["GET"]
    case .services: ["DELETE"]
    case .serviceAction, .guards: ["POST"]
    }
  }
}
