import RunnerCore

/// A file of the page, which is part of the program.
struct Asset {
  let type: String
  let text: String
  /// The file compressed by gzip, in base 64.
  private let packed: String

  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
  ]

  /// Returns the file at a path; `/` is `index.html`.
  static func at(_ path: String) -> Asset? {
    guard path.hasPrefix("/") else { return nil }
    let name = path == "/" ? "index.html" : String(path.dropFirst())
    guard let text = Page.file(name), let packed = Page.gzip(name),
      let type = name.split(separator: ".").last.flatMap({ types[String($0)] })
    else { return nil }
    return Asset(type: type, text: text, packed: packed)
  }

  /// The answer to a request: compressed if the client accepts that.
  func response(to request: HTTPRequest) -> HTTPResponse {
    var response = HTTPResponse(
      200, headers: [("Content-Type", type), ("Vary", "Accept-Encoding")],
      body: .bytes(Array(text.utf8)))
    if Self.acceptsGzip(request["accept-encoding"] ?? ""), let bytes = Base64.bytes(of: packed) {
      response.headers.append(("Content-Encoding", "gzip"))
      response.body = .bytes(bytes)
    }
    return response
  }

  private static func acceptsGzip(_ codings: String) -> Bool {
    codings.lowercased().filter { $0 != " " }.split(separator: ",").contains { coding in
      let parts = coding.split(separator: ";")
      return parts.first == "gzip" && !parts.dropFirst().contains { Double($0.dropFirst(2)) == 0 }
    }
  }
}
