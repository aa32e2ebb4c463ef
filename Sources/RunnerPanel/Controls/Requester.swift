import RunnerCore

/// What has asked for an execution or its end. Its text is in the fields `by` and `cancelled_by` of
/// executions.
enum Requester: String {
  case page, agent
  /// `raclette`, in another process.
  case commandLine = "command line"
  /// Any other client.
  case client

  init(_ request: HTTPRequest) {
    // Browsers send the first two by themselves, and `raclette` alone sends the third.
    if request.has("sec-fetch-site") || request.has("origin") {
      self = .page
    } else {
      guard request.has("x-raclette-version") else {
        self = .client
        return
      }
      // A panel passes on what its own clients ask for.
      let requester = request[HubRequest.requesterField.lowercased()]
      self = requester.flatMap(Requester.init(rawValue:)) ?? .commandLine
    }
  }
}
