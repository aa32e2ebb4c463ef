import CPostgreSQL
import EventLoop

/// One connection to a server, which sends one statement at a time.
///
/// No call waits. On the loop's thread.
final class ServerConnection {
  /// Called when the connection is made.
  var onReady: () -> Void = {}
  /// Called once the connection is lost or cannot be made, with the reason; nothing else is called
  /// afterwards.
  var onLoss: (String) -> Void = { _ in }
  /// Called with the rows or the error of the statement; nil if the server has said neither.
  var onAnswer: (Result<ServerRows, ServerError>?) -> Void = { _ in }
  /// Called with the channel and the payload of a notification; `isIdle` is true if no statement was
  /// under way when it arrived.
  var onNotification: (_ channel: String, _ payload: String, _ isIdle: Bool) -> Void = { _, _, _ in
  }

  /// True if no server answered in time.
  private(set) var hasTimedOut = false

  private let address: ServerAddress
  private let firstServer: Int
  private let loop: EventLoop
  private var handle: OpaquePointer?
  private var watch: DescriptorWatch?
  private var timer: Timer?
  private var isAwaitingAnswer = false
  private var result: Result<ServerRows, ServerError>?

  /// - Parameter firstServer: how many servers come last that the address names first.
  init(_ address: ServerAddress, from firstServer: Int = 0, on loop: EventLoop) {
    self.address = address
    self.firstServer = firstServer
    self.loop = loop
  }

  deinit { close() }

  /// The version of the server, such as 150018; 0 without a connection.
  var serverVersion: Int { handle.map { Int(cpostgresql_server_version($0)) } ?? 0 }

  /// The number of the process that serves the connection, as it was told when the connection was made;
  /// 0 if it was not. A pooler makes one up.
  var process: Int { handle.map { Int(cpostgresql_process($0)) } ?? 0 }

  /// Closes the connection without a word; nothing is called afterwards.
  func close() {
    watch?.cancel()
    watch = nil
    timer?.cancel()
    timer = nil
    if let handle { cpostgresql_finish(handle) }
    handle = nil
  }

  private func lose(_ reason: String) {
    close()
    onLoss(reason)
  }

  /// Loses the connection for the reason that the library tells.
  private func lose() {
    guard let handle else { return }
    lose(Self.reason(String(cString: cpostgresql_error(handle))))
  }

  /// The first line of the library's message, without what it says before each.
  private static func reason(_ message: String) -> String {
    let lines = message.split(separator: "\n").map(String.init)
    // Advice of the library follows in lines of their own.
    var line =
      lines.last { $0.contains(" failed: ") } ?? lines.last { !$0.hasPrefix("\t") }
      ?? "the connection is lost"
    for prefix in ["FATAL:  ", "ERROR:  "] {
      if let range = line.ranges(of: prefix).first { line = String(line[range.upperBound...]) }
    }
    if let range = line.ranges(of: " failed: ").first, line.hasPrefix("connection to server") {
      line = String(line[range.upperBound...])
    }
    return line
  }

  // MARK: Connecting

  /// Begins to connect.
  func connect() {
    let defaults = address.defaults
    let overrides =
      [("application_name", "raclette"), ("client_encoding", "UTF8")]
      + address.servers(from: firstServer)
    handle = withPointers(defaults.map(\.name), defaults.map(\.value)) { names, values in
      withPointers(overrides.map(\.0), overrides.map(\.1)) {
        cpostgresql_start(address.url, names, values, $0, $1)
      }
    }
    guard handle != nil else { return lose("out of memory") }
    // The library knows a limit only for calls that wait. With several servers the next attempt begins
    // with another one.
    timer = loop.timer(after: .seconds(address.serverCount > 1 ? 3 : 10)) { [weak self] in
      self?.hasTimedOut = true
      self?.lose("the server does not answer")
    }
    proceed(cpostgresql_writing)
  }

  private func proceed(_ progress: cpostgresql_progress) {
    switch progress {
    case cpostgresql_failed: lose()
    case cpostgresql_connected:
      timer?.cancel()
      timer = nil
      if let handle { cpostgresql_silence(handle) }
      watchSocket { [weak self] in self?.receive() }
      guard handle != nil else { return }
      watch?.waitForSpace(false)
      onReady()
    default:
      // The socket changes while hosts and methods are tried.
      watchSocket { [weak self] in self?.poll() }
      watch?.waitForSpace(progress == cpostgresql_writing)
    }
  }

  private func poll() {
    watch?.cancel()
    watch = nil
    if let handle { proceed(cpostgresql_poll(handle)) }
  }

  private func watchSocket(_ body: @escaping () -> Void) {
    watch?.cancel()
    watch = nil
    guard let handle else { return }
    let socket = cpostgresql_socket(handle)
    // The connection has failed before there was one, as with a name that is not known.
    guard socket >= 0 else { return lose() }
    do {
      watch = try loop.watchDescriptor(socket, body)
    } catch {
      lose("\(error)")
    }
  }

  // MARK: Statements

  /// Sends a statement; the last one must have been answered.
  func send(_ statement: String, _ parameters: [ServerValue]) {
    guard let handle else { return }
    isAwaitingAnswer = true
    let bytes = parameters.map { $0.bytes.map { $0 + [0] } }
    let isSent = withPointers(bytes) {
      cpostgresql_send(handle, statement, Int32(bytes.count), $0)
    }
    if isSent { flush() } else { lose() }
  }

  private func flush() {
    guard let handle else { return }
    switch cpostgresql_flush(handle) {
    case 0: watch?.waitForSpace(false)
    case 1: watch?.waitForSpace(true)
    default: lose()
    }
  }

  private func receive() {
    guard let handle else { return }
    let isIdle = !isAwaitingAnswer
    guard cpostgresql_consume(handle) else { return lose() }
    flush()
    while isAwaitingAnswer, let handle = self.handle, !cpostgresql_is_busy(handle) {
      if let next = cpostgresql_next(handle) { take(next) } else { answer() }
    }
    takeNotifications(isIdle: isIdle)
    if let handle = self.handle, !cpostgresql_is_up(handle) { lose() }
  }

  private func take(_ next: OpaquePointer) {
    guard cpostgresql_has_failed(next) else {
      let rows = ServerRows(next)
      if case .failure = result { return }
      result = .success(rows)
      return
    }
    func field(_ name: UnicodeScalar) -> String? {
      cpostgresql_field(next, CChar(name.value)).map { String(cString: $0) }
    }
    let error = ServerError(
      address.name, code: field("C") ?? "08000",
      reason: [field("M") ?? "the connection is lost", field("D")].compactMap { $0 }
        .joined(separator: ": "))
    cpostgresql_clear(next)
    result = .failure(error)
  }

  private func answer() {
    // An end of the connection is no answer.
    if let handle, !cpostgresql_is_up(handle) { return lose() }
    isAwaitingAnswer = false
    let result = result
    self.result = nil
    onAnswer(result)
  }

  private func takeNotifications(isIdle: Bool) {
    guard let handle else { return }
    var found: [(String, String)] = []
    withUnsafeMutablePointer(to: &found) { found in
      cpostgresql_notifications(handle, found) { context, channel, payload in
        guard let context, let channel, let payload else { return }
        context.assumingMemoryBound(to: [(String, String)].self).pointee
          .append((String(cString: channel), String(cString: payload)))
      }
    }
    for (channel, payload) in found where self.handle != nil {
      onNotification(channel, payload, isIdle)
    }
  }
}
