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

  /// The segment of a path that stands for a name.
  package static func segment(_ name: String) -> String {
    var result = ""
    for byte in name.utf8 {
      let isPlain =
        (48...57).contains(byte) || (65...90).contains(byte & 0xDF) || "-._~:".utf8.contains(byte)
      let digits = String(byte, radix: 16, uppercase: true)
      result += isPlain ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
    }
    return result
  }

  var bytes: [UInt8] {
    let content = body.map { Array($0.text.utf8) }
    var head = "\(method) /api/v1/\(path) HTTP/1.0\r\nX-Raclette-Version: \(ScriptHost.version)\r\n"
    if method == "POST" || method == "PUT" {
      head +=
        "Content-Type: application/json\r\nContent-Length: \((content ?? Array("{}".utf8)).count)\r\n"
    }
    return Array(head.utf8) + [13, 10]
      + (method == "POST" || method == "PUT" ? content ?? Array("{}".utf8) : [])
  }
}
