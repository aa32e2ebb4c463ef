import Scripting

/// A request that is refused: the status, and the reason for programs and for people.
struct APIError: Error {
  let status: UInt32
  let kind: String
  let message: String
  /// Further fields of the error.
  var fields: [(String, JSONValue)] = []
  var headers: [(name: String, value: String)] = []

  init(
    _ status: UInt32, _ kind: String, _ message: String, _ fields: [(String, JSONValue)] = [],
    headers: [(name: String, value: String)] = []
  ) {
    self.status = status
    self.kind = kind
    self.message = message
    self.fields = fields
    self.headers = headers
  }

  var response: HTTPResponse {
    let error: [(String, JSONValue)] =
      [("kind", .string(kind)), ("message", .string(Secrets.masked(message)))]
      + fields.map { ($0, $1.masked ?? $1) }
    return .json(status, .object([("error", .object(error))]), headers: headers)
  }

  static func request(_ message: String) -> APIError { APIError(400, "request", message) }

  static let token = APIError(
    401, "token", "the header 'Authorization: Bearer TOKEN' is missing or has another token",
    headers: [("WWW-Authenticate", "Bearer")])

  static let origin = APIError(403, "origin", "the request comes from a page of another origin")

  static let readOnly = APIError(
    403, "read_only", "the panel was started with --read-only: it executes and cancels nothing")

  static func path(_ path: String) -> APIError {
    APIError(404, "not_found", "there is nothing at '\(path)'")
  }

  static func execution(_ id: String) -> APIError {
    APIError(404, "not_found", "there is no execution \(id), or it is no longer kept")
  }

  static func ended(_ execution: PanelExecution) -> APIError {
    APIError(
      409, "ended", "execution \(execution.id) has ended",
      [("state", .string(execution.state.rawValue))])
  }

  static func command(_ name: String, meant: CommandMeant?) -> APIError {
    APIError(404, "not_found", "unknown command '\(name)'" + (meant?.hint ?? ""))
  }

  static func method(_ method: String, allowed: [String]) -> APIError {
    APIError(
      405, "method", "'\(method)' is not possible here, only \(allowed.joined(separator: ", "))",
      headers: [("Allow", allowed.joined(separator: ", "))])
  }

  static let length = APIError(
    411, "length_required", "the body needs a Content-Length, and no Transfer-Encoding")

  static func body(atMost limit: Int) -> APIError {
    APIError(413, "too_large", "the body is larger than \(limit >> 20) MiB")
  }

  static let contentType = APIError(
    415, "content_type", "the body must be JSON, with 'Content-Type: application/json'")

  static let host = APIError(
    421, "host", "the panel does not accept the name in 'Host'; --allow-host allows another one")
}
