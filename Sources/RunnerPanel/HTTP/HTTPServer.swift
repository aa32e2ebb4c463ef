import CMicroHTTP
import EventLoop
import Platform

/// What a server asks to answer its requests. On the loop's thread.
protocol HTTPHandler: AnyObject {
  /// The most bytes of a body.
  var bodyLimit: Int { get }

  /// Returns true if the client of a connection may send requests.
  func accepts(_ descriptor: Int32) -> Bool

  /// Returns a response to a request whose head has arrived and whose body is not wanted; nil to
  /// wait for the body.
  func refusal(of request: HTTPRequest) -> HTTPResponse?

  /// Answers a whole request by calling `respond` once, now or later.
  func answer(_ request: HTTPRequest, _ respond: @escaping (HTTPResponse) -> Void)
}

/// The limits of what clients may cost.
enum HTTPLimits {
  /// The bytes of a head, and of what waits for a client inside the library.
  static let connectionMemory = 32 << 10
  static let connections: UInt32 = 1_100
  /// The bytes of a body.
  static let body = 1 << 20
  /// The same where the variables of a client are a part of it, which systems limit to 6 MiB.
  static let bodyWithVariables = 8 << 20
  /// The seconds in which a client that takes no bytes keeps its connection.
  static let patience: UInt32 = 60
  /// The time that a head may take, and a body after it.
  static let arrival = Duration.seconds(10)
  /// The time between two requests of a connection.
  static let idle = Duration.seconds(75)
  /// The bytes that the system may hold for a client.
  static let sendBuffer: Int32 = 32 << 10
}

/// An HTTP server inside an event loop, by libmicrohttpd. On the loop's thread.
final class HTTPServer: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private struct Connection {
    let descriptor: Int32
    /// The time at which what is expected of the client has to have arrived.
    var deadline: Duration?
  }

  private let loop: EventLoop
  unowned let handler: any HTTPHandler
  private var library: OpaquePointer?
  private var watch: DescriptorWatch?
  private var sweep: Timer?
  private var connections: [OpaquePointer: Connection] = [:]
  private var exchanges: [ObjectIdentifier: HTTPExchange] = [:]
  private var isRunDue = false
  /// True once no answer is waited for any more.
  private(set) var isStopping = false

  /// Loads the library.
  ///
  /// - Throws: `PanelError.noLibrary`.
  static func load() throws(PanelError) {
    if let problem = cmicrohttp_load() { throw .noLibrary(reason: String(cString: problem)) }
  }

  /// Serves the clients of a socket; `load` has succeeded.
  ///
  /// - Throws: `PanelError.cannotListen` if the system is out of descriptors or memory.
  init(_ socket: ListeningSocket, _ loop: EventLoop, _ handler: any HTTPHandler) throws {
    self.loop = loop
    self.handler = handler
    let limits = cmicrohttp_limits(
      memory: HTTPLimits.connectionMemory, connections: HTTPLimits.connections,
      patience: HTTPLimits.patience)
    library = cmicrohttp_start(socket.descriptor, limits, callbacks)
    guard let library else {
      throw PanelError.cannotListen(
        socket.url ?? "the socket", reason: "the server does not start: \(systemErrorText(errno))")
    }
    watch = try loop.watchDescriptor(cmicrohttp_descriptor(library)) { [unowned self] in run() }
  }

  private var callbacks: cmicrohttp_callbacks {
    cmicrohttp_callbacks(
      context: Unmanaged.passUnretained(self).toOpaque(),
      connected: { context, connection, descriptor in
        guard let connection else { return }
        HTTPServer.behind(context).connected(connection, descriptor)
      },
      disconnected: { context, connection in
        guard let connection else { return }
        HTTPServer.behind(context).disconnected(connection)
      },
      begin: { context, connection, path, method in
        guard let connection, let path, let method else { return nil }
        let exchange = HTTPServer.behind(context).begin(
          connection, String(cString: path), String(cString: method))
        return Unmanaged.passRetained(exchange).toOpaque()
      },
      body: { request, bytes, count in
        HTTPExchange.behind(request)?.receive(
          UnsafeRawBufferPointer(start: bytes, count: count))
      },
      complete: { HTTPExchange.behind($0)?.complete() ?? false },
      end: { request in
        guard let request else { return }
        Unmanaged<HTTPExchange>.fromOpaque(request).takeRetainedValue().end()
      })
  }

  private static func behind(_ context: UnsafeMutableRawPointer?) -> HTTPServer {
    guard let context else { preconditionFailure("the server is the context of its callbacks") }
    return Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
  }

  // MARK: Connections

  var connectionCount: Int { connections.count }

  /// Calls `body` when the client of a connection leaves; nil if the system is out of descriptors.
  func departure(
    of connection: OpaquePointer, _ body: @escaping () -> Void
  ) -> ClientDeparture? {
    connections[connection].flatMap { ClientDeparture(of: $0.descriptor, on: loop, body) }
  }

  private func connected(_ connection: OpaquePointer, _ descriptor: Int32) {
    var size = HTTPLimits.sendBuffer
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
    connections[connection] = Connection(
      descriptor: descriptor, deadline: EventLoop.now + HTTPLimits.arrival)
    if sweep == nil { beginSweeping() }
    // The library notices the end by itself.
    if !handler.accepts(descriptor) { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  private func disconnected(_ connection: OpaquePointer) {
    connections[connection] = nil
    guard connections.isEmpty else { return }
    sweep?.cancel()
    sweep = nil
  }

  /// Looks once a second for clients that are too slow, as long as there are any.
  private func beginSweeping() {
    sweep = loop.timer(at: EventLoop.nextSecond(), every: .seconds(1)) { [unowned self] in
      closeLate()
      run()
    }
    sweep?.unref()
  }

  private func begin(_ connection: OpaquePointer, _ path: String, _ method: String)
    -> HTTPExchange
  {
    let exchange = HTTPExchange(self, connection, path: path, method: method)
    exchanges[ObjectIdentifier(exchange)] = exchange
    expect(connection, within: HTTPLimits.arrival)
    exchange.begin()
    return exchange
  }

  /// Sets the time in which something has to arrive; nil for no limit.
  func expect(_ connection: OpaquePointer, within time: Duration?) {
    connections[connection]?.deadline = time.map { EventLoop.now + $0 }
  }

  func ended(_ exchange: HTTPExchange) {
    exchanges[ObjectIdentifier(exchange)] = nil
    expect(exchange.connection, within: HTTPLimits.idle)
  }

  /// Closes the connections of clients that are too slow; the library notices it by itself.
  private func closeLate() {
    let now = EventLoop.now
    for connection in connections.values where connection.deadline.map({ $0 < now }) ?? false {
      shutdown(connection.descriptor, Int32(SHUT_RDWR))
    }
  }

  // MARK: Running

  /// Serves in the next turn what can be served since a connection was resumed.
  func runSoon() {
    guard !isRunDue else { return }
    isRunDue = true
    loop.enqueue { [weak self] in self?.run() }
  }

  private func run() {
    isRunDue = false
    guard let library else { return }
    cmicrohttp_run(library)
    if cmicrohttp_timeout(library) == 0 { runSoon() }
  }

  /// Ends all answers, gives clients that keep up what is left, and closes all connections.
  func stop() {
    guard let library else { return }
    isStopping = true
    for exchange in exchanges.values { exchange.stop() }
    // Each turn writes a piece to each client that takes it.
    for _ in 0..<100 where !exchanges.isEmpty { cmicrohttp_run(library) }
    for exchange in exchanges.values { exchange.stop() }
    watch?.cancel()
    sweep?.cancel()
    cmicrohttp_stop(library)
    self.library = nil
  }
}
