/// The server of a panel: checks requests, serves the page, and passes the rest to the API. On the
/// loop's thread.
final class PanelServer: HTTPHandler {
  let bodyLimit = HTTPLimits.body
  private let gate: Gate
  private let api: any PanelAPI
  private let agents: MCPDoor
  private let metrics: () -> String

  /// - Parameter metrics: the text of the metrics at this moment.
  init(_ gate: Gate, _ api: any PanelAPI, _ agents: MCPDoor, metrics: @escaping () -> String) {
    self.gate = gate
    self.api = api
    self.agents = agents
    self.metrics = metrics
  }

  /// The token decides.
  func accepts(_ descriptor: Int32) -> Bool { true }

  func refusal(of request: HTTPRequest) -> HTTPResponse? {
    do { _ = try gate.passage(of: request) } catch { return secured(error.response) }
    return nil
  }

  func answer(_ request: HTTPRequest, _ respond: @escaping (HTTPResponse) -> Void) {
    do {
      switch try gate.passage(of: request) {
      case .asset(let asset): respond(secured(asset.response(to: request)))
      case .agent: try agents.answer(request) { [self] in respond(secured($0)) }
      case .metrics:
        respond(
          secured(
            HTTPResponse(
              200, headers: [("Content-Type", PanelMetrics.type)],
              body: .bytes(Array(metrics().utf8)))))
      case .route(let route):
        try api.answer(route, request) { [self] in respond(secured($0)) }
      }
    } catch { respond(secured(error.response)) }
  }

  private func secured(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    response.headers += SecurityHeaders.all
    return response
  }
}

/// What answers the requests to the API that have passed the gate. On the loop's thread.
protocol PanelAPI: AnyObject {
  /// Calls `respond` once, now or later.
  ///
  /// - Throws: `APIError` in place of a response.
  func answer(
    _ route: Route, _ request: HTTPRequest, _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError)
}
