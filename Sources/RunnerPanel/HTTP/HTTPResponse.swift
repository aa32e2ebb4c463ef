import Scripting

/// An answer to a request.
struct HTTPResponse {
  /// Bytes that are sent at the pace of the client.
  enum Body {
    case bytes([UInt8])
    case stream(any ByteStream)
  }

  var status: UInt32
  var headers: [(name: String, value: String)] = []
  var body = Body.bytes([])

  init(_ status: UInt32, headers: [(name: String, value: String)] = [], body: Body = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// A JSON document.
  static func json(
    _ status: UInt32, _ value: JSONValue, headers: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    HTTPResponse(
      status,
      headers: [("Content-Type", "application/json; charset=utf-8")] + headers,
      body: .bytes(Array((value.text + "\n").utf8)))
  }
}

/// Bytes that a response sends as they come. On the loop's thread.
protocol ByteStream: AnyObject {
  /// Fills a space with the next bytes.
  ///
  /// - Returns: their number; 0 if there are none now, after which `resume` is called when there
  ///   are; nil at the end.
  func read(into space: UnsafeMutableRawBufferPointer) -> Int?

  /// Makes the response call `read` again; set before the first call.
  var resume: () -> Void { get set }

  /// Called once when the response is over, whoever has ended it.
  func ended()
}
