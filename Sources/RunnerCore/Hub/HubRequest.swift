import Scripting

/// A request to a hub.
package struct HubRequest: Sendable {
  package var method: String
  /// The path below `/api/v1`, with its query.
  package var path: String
  package var body: JSONValue?

  package init(_ method: String, _ path: String, _ body: JSONValue? = nil) {
    self.method = method
    self.path = path
    self.body = body
  }

  var bytes: [UInt8] {
    var head = "\(method) /api/v1/\(path) HTTP/1.0\r\nX-Raclette-Version: \(ScriptHost.version)\r\n"
    var content: [UInt8] = []
    if method == "POST" || method == "PUT" {
      content = Array((body?.text ?? "{}").utf8)
      head += "Content-Type: application/json\r\nContent-Length: \(content.count)\r\n"
    }
    return Array("\(head)\r\n".utf8) + content
  }
}
