/// The checks that each request has to pass before it is answered.
struct Gate {
  let hosts: HostRules
  let token: Token
  let isReadOnly: Bool

  /// A request that has passed.
  enum Passage {
    case route(Route)
    case asset(Asset)
    /// A message of an agent.
    case agent
    case metrics
  }

  /// - Throws: `APIError`.
  func passage(of request: HTTPRequest) throws(APIError) -> Passage {
    // First what keeps other pages out, so that they learn nothing, not even which paths exist.
    guard let host = request["host"], hosts.accepts(host: host) else { throw .host }
    if request.has("origin") {
      guard let origin = request["origin"], hosts.accepts(origin: origin, host: host) else {
        throw .origin
      }
    }
    let others = [MCPDoor.path: MCPDoor.methods, PanelMetrics.path: ["GET"]]
    let methods = others[request.path]
    guard methods != nil || request.path.hasPrefix("/api/") || request.path == "/api" else {
      return .asset(try asset(for: request))
    }
    if request.has("sec-fetch-site") {
      guard ["same-origin", "none"].contains(request["sec-fetch-site"]) else { throw .origin }
    }
    guard let given = Self.bearer(request["authorization"]), token.isEqual(to: given) else {
      throw .token
    }
    if let methods {
      guard methods.contains(request.method) else {
        throw .method(request.method, allowed: methods)
      }
      try Self.checkBody(of: request, atMost: HTTPLimits.body)
      return request.path == MCPDoor.path ? .agent : .metrics
    }
    guard let route = request.segments.flatMap(Route.init) else { throw .path(request.path) }
    guard route.methods.contains(request.method) else {
      throw .method(request.method, allowed: route.methods)
    }
    if isReadOnly, route.changes(request.method) { throw .readOnly }
    try Self.checkBody(of: request, atMost: HTTPLimits.body)
    return .route(route)
  }

  private func asset(for request: HTTPRequest) throws(APIError) -> Asset {
    guard let asset = Asset.at(request.path) else { throw .path(request.path) }
    guard ["GET", "HEAD"].contains(request.method) else {
      throw .method(request.method, allowed: ["GET", "HEAD"])
    }
    try Self.checkBody(of: request, atMost: HTTPLimits.body)
    return asset
  }

  static func checkBody(of request: HTTPRequest, atMost limit: Int) throws(APIError) {
    if request.has("transfer-encoding") { throw .length }
    let mayHaveBody = ["POST", "PUT"].contains(request.method)
    guard request.has("content-length") else {
      if mayHaveBody { throw .length }
      return
    }
    guard let length = request["content-length"].flatMap(Int.init(digits:)) else { throw .length }
    if length > (mayHaveBody ? limit : 0) { throw .body(atMost: limit) }
    guard mayHaveBody else { return }
    guard let type = request["content-type"], isJSON(type) else { throw .contentType }
  }

  private static func isJSON(_ type: String) -> Bool {
    let parts = type.lowercased().split(separator: ";", omittingEmptySubsequences: false)
      .map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
    return parts.first == "application/json"
      && (parts.count == 1 || parts.count == 2 && parts[1] == "charset=utf-8")
  }

  /// The token in an `Authorization` header.
  private static func bearer(_ header: String?) -> String? {
    guard let header, header.lowercased().hasPrefix("bearer ") else { return nil }
    return String(header.dropFirst("bearer ".count).drop { $0 == " " })
  }
}
