import CMicroHTTP

/// A request and the answer to it. On the loop's thread.
final class HTTPExchange: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private enum State {
    /// The body arrives.
    case receiving
    /// Whoever answers has been asked, and has not answered.
    case asking(isSuspended: Bool)
    /// The answer has come, and is sent in the next turn of the server.
    case answered(HTTPResponse)
    case sent
    case ended
  }

  let connection: OpaquePointer
  private let server: HTTPServer
  private var request: HTTPRequest
  private var state = State.receiving
  private var stream: StreamedResponse?

  init(_ server: HTTPServer, _ connection: OpaquePointer, path: String, method: String) {
    self.server = server
    self.connection = connection
    request = HTTPRequest(connection, path: path, method: method)
  }

  static func behind(_ pointer: UnsafeMutableRawPointer?) -> HTTPExchange? {
    pointer.map { Unmanaged<HTTPExchange>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The head has arrived.
  func begin() {
    if let refusal = server.handler.refusal(of: request) { _ = send(refusal) }
  }

  /// A piece of the body has arrived. Its length has been checked with the head.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    guard case .receiving = state, request.body.count + bytes.count <= server.handler.bodyLimit
    else { return }
    request.body += bytes
  }

  /// The whole request has arrived, or the connection goes on after a wait for the answer.
  ///
  /// - Returns: false to close the connection.
  func complete() -> Bool {
    switch state {
    case .receiving:
      server.expect(connection, within: nil)
      state = .asking(isSuspended: false)
      server.handler.answer(request) { self.respond($0) }
      if case .answered(let response) = state { return send(response) }
      state = .asking(isSuspended: true)
      cmicrohttp_suspend(connection)
      return true
    case .answered(let response): return send(response)
    case .sent: return true
    case .asking, .ended: return false
    }
  }

  private func respond(_ response: HTTPResponse) {
    guard case .asking(let isSuspended) = state else {
      if case .stream(let stream) = response.body { stream.ended() }
      return
    }
    state = .answered(response)
    guard isSuspended else { return }
    cmicrohttp_resume(connection)
    server.runSoon()
  }

  private func send(_ answer: HTTPResponse) -> Bool {
    state = .sent
    server.expect(connection, within: nil)
    let response: OpaquePointer?
    switch answer.body {
    case .bytes(let bytes):
      response = bytes.withUnsafeBytes {
        cmicrohttp_response_bytes($0.baseAddress, $0.count, false)
      }
    case .stream(let bytes):
      let stream = StreamedResponse(bytes, connection, server)
      self.stream = stream
      response = stream.response
    }
    guard let response else { return false }
    for (name, value) in answer.headers { cmicrohttp_header(response, name, value) }
    return cmicrohttp_respond(connection, answer.status, response)
  }

  /// Ends the wait for an answer, or a stream: the server stops.
  func stop() {
    if case .asking(isSuspended: true) = state { respond(HTTPResponse(503)) }
    stream?.stop()
  }

  /// The library has forgotten the request.
  func end() {
    state = .ended
    server.ended(self)
  }
}

/// A response whose bytes come from a stream. The library owns it.
private final class StreamedResponse {
  /// The most bytes that are asked for at once.
  private static let piece = 16 << 10

  private let bytes: any ByteStream
  private let connection: OpaquePointer
  private let server: HTTPServer
  private var isSuspended = false
  private var isStopping = false
  /// True once the client has left.
  private var isLeft = false
  private var isOver = false
  /// The end of the client, for a stream that ends with it.
  private var departure: ClientDeparture?

  init(_ bytes: any ByteStream, _ connection: OpaquePointer, _ server: HTTPServer) {
    self.bytes = bytes
    self.connection = connection
    self.server = server
  }

  /// The response; made once.
  var response: OpaquePointer? {
    bytes.resume = { [weak self] in self?.resume() }
    if bytes is any HeldStream {
      departure = server.departure(of: connection) { [weak self] in self?.leave() }
    }
    let context = Unmanaged.passRetained(self).toOpaque()
    return cmicrohttp_response_stream(
      Self.piece,
      { context, _, space, count in
        guard let context else { return -1 }
        return Unmanaged<StreamedResponse>.fromOpaque(context).takeUnretainedValue()
          .read(into: UnsafeMutableRawBufferPointer(start: space, count: count))
      }, context,
      { context in
        guard let context else { return }
        Unmanaged<StreamedResponse>.fromOpaque(context).takeRetainedValue().end()
      })
  }

  private func read(into space: UnsafeMutableRawBufferPointer) -> Int {
    guard !isLeft, let count = bytes.read(into: space) else { return -1 }
    if count == 0 {
      if isStopping { return -1 }
      isSuspended = true
      cmicrohttp_suspend(connection)
    }
    return count
  }

  private func resume() {
    guard isSuspended, !isOver else { return }
    isSuspended = false
    cmicrohttp_resume(connection)
    server.runSoon()
  }

  /// Ends the stream after the bytes that are there.
  func stop() {
    isStopping = true
    resume()
  }

  private func leave() {
    guard (bytes as? any HeldStream)?.clientLeft() != false else { return }
    isLeft = true
    resume()
  }

  private func end() {
    isOver = true
    departure?.cancel()
    bytes.ended()
  }
}
