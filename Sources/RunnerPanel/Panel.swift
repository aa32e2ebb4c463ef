import RunnerCore

/// The commands of a session as a page and an API. On the loop's thread.
package final class Panel: PanelAPI, @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  let session: Session

  init(_ session: Session, file: String, _ options: PanelOptions) {
    self.session = session
  }

  func answer(
    _ route: Route, _ request: HTTPRequest, _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError) {
    throw .path(request.path)
  }
}
