import EventLoop
import RunnerCore

/// A way to a server that mends itself: statements are sent one after the other, and those without an
/// answer are sent again after the connection was lost. A statement must therefore be one that may take
/// place twice.
///
/// No call waits. On the loop's thread.
package final class ServerLink {
  package typealias Answer = (Result<ServerRows, ServerError>) -> Void

  package let address: ServerAddress
  /// Called once if the first connection cannot be made, or the schema is not usable; nothing else is
  /// called afterwards.
  package var onFailure: (ServerError) -> Void = { _ in }
  /// Called when the connection is lost, with the reason, and with nil when it is back.
  package var onChange: (_ problem: String?) -> Void = { _ in }
  /// Called at each new connection, before statements that wait; its statements go first.
  package var onConnect: () -> Void = {}
  /// Called with the channel and the payload of a notification.
  package var onNotification: (_ channel: String, _ payload: String) -> Void = { _, _ in }
  /// Called at intervals while notifications do not arrive, as behind a pooler in transaction mode, or it
  /// is not known whether they do; never while a statement waits for its answer.
  package var onPoll: () -> Void = {}
  /// Called once if notifications do not arrive.
  package var onSilence: () -> Void = {}
  /// The time between two calls of `onPoll`.
  package var pollInterval = Duration.milliseconds(100)

  private struct Request {
    let statement: String
    let parameters: [ServerValue]
    let answer: Answer
    /// True if it prepares the connection, and is not sent again on another.
    var isPrologue = false
    /// True if another connection makes it needless.
    var endsWithConnection = false
    /// How often it was cancelled.
    var cancellations = 0
  }

  /// The time until the first attempt to connect again.
  private static let leastDelay = Duration.milliseconds(50)

  /// How often a statement is sent that is cancelled.
  private static let mostCancellations = 3

  /// The encoding of databases that hold journals.
  static let encoding = "UTF8"

  let loop: EventLoop
  private let checksSchema: Bool
  private(set) var channels: [String] = []
  private var waiting = Requests<Request>()
  /// Statements of the new connection, before all others.
  private var prologue: [Request] = []
  private var current: Request?
  private var connection: ServerConnection?
  /// Runs until the next attempt.
  private var timer: Timer?
  private var delay = Duration.zero
  private var isReady = false
  private var isClosed = false
  private var hasConnected = false
  private var isTold = false
  /// Why the connection was lost while it had nothing to do, until the next one works.
  private var quietLoss: String?
  /// How many servers come last that the address names first.
  private var firstServer = 0
  /// True once the server could be written to.
  private var hasFoundPrimary = false
  private var isPreparing = false
  var notifications = Notifications.untested
  /// True if something between this program and the server shares connections.
  var isPooled = false
  var hasReportedSilence = false
  /// Runs until the next call of `onPoll`; nil while notifications arrive.
  var polling: Timer?

  /// Begins to connect.
  ///
  /// - Parameter checksSchema: false to make the schema.
  package init(_ address: ServerAddress, on loop: EventLoop, checksSchema: Bool = true) {
    self.address = address
    self.loop = loop
    self.checksSchema = checksSchema
    timer = loop.timer(after: .zero) { [unowned self] in connect() }
  }

  deinit {
    connection?.close()
    timer?.cancel()
    forgetNotifications()
  }

  /// True while statements can be sent.
  package var isUp: Bool { isReady }

  /// The number of statements that have no answer yet.
  package var unanswered: Int { waiting.count + (current.map { $0.isPrologue ? 0 : 1 } ?? 0) }

  /// Sends a statement after those that wait, and calls `answer` with its rows or its error.
  ///
  /// - Parameters:
  ///   - statement: SQL with `$1` for the first parameter; several statements if there are no parameters.
  ///   - endsWithConnection: true for a statement that is not sent again on another connection, because
  ///     what `onConnect` sends there takes its place. It gets no answer then.
  package func send(
    _ statement: String, _ parameters: [ServerValue] = [], endsWithConnection: Bool = false,
    _ answer: @escaping Answer = { _ in }
  ) {
    guard !isClosed else { return answer(.failure(.closed)) }
    let request = Request(
      statement: statement, parameters: parameters, answer: answer, isPrologue: isPreparing,
      endsWithConnection: endsWithConnection)
    if isPreparing { prologue.append(request) } else { waiting.append(request) }
    sendNext()
  }

  /// Receives the notifications of a channel from now on, over all connections.
  package func listen(to channel: String) {
    guard !channels.contains(channel) else { return }
    channels.append(channel)
    if case .missing = notifications { return }
    if isReady { send("LISTEN \"\(channel)\"") }
    testNotifications()
  }

  /// Receives the notifications of a channel no longer.
  package func ignore(_ channel: String) {
    guard let place = channels.firstIndex(of: channel) else { return }
    channels.remove(at: place)
    if case .missing = notifications { return }
    if isReady { send("UNLISTEN \"\(channel)\"") }
  }

  /// Closes the connection without a word; nothing is called afterwards.
  package func close() {
    isClosed = true
    disconnect()
    waiting = Requests()
    onFailure = { _ in }
    onChange = { _ in }
    onConnect = {}
    onNotification = { _, _ in }
    onPoll = {}
    onSilence = {}
  }

  // MARK: Connecting

  private func connect() {
    let connection = ServerConnection(address, from: firstServer, on: loop)
    connection.onReady = { [unowned self] in begin() }
    connection.onLoss = { [unowned self] in loseConnection($0) }
    connection.onAnswer = { [unowned self] in receive($0) }
    connection.onNotification = { [unowned self] in receive($0, $1, isIdle: $2) }
    self.connection = connection
    connection.connect()
  }

  /// Prepares a new connection: the check of the schema, the channels, and what its owner sends first.
  private func begin() {
    isReady = true
    isPreparing = true
    if checksSchema {
      send(
        "SELECT raclette.version(), current_setting('server_encoding'), pg_backend_pid(), "
          + "pg_is_in_recovery()"
      ) { [unowned self] answer in check(answer) }
    }
    for channel in channels { send("LISTEN \"\(channel)\"") }
    onConnect()
    isPreparing = false
    if !checksSchema { hasConnected = true }
    sendNext()
  }

  private func check(_ answer: Result<ServerRows, ServerError>) {
    switch answer {
    case .success(let rows):
      let version = rows.integer(0, 0)
      if let encoding = rows.text(0, 1), encoding != Self.encoding {
        fail(.notUTF8(server: address.name, encoding: encoding))
      } else if version == Schema.version {
        let isStandby = rows.isTrue(0, 3)
        // The address may lead to another server for a while.
        if isStandby, hasFoundPrimary { return lose("the server has become a standby") }
        hasConnected = true
        hasFoundPrimary = !isStandby
        prepare(process: rows.integer(0, 2))
      } else if let refusal = Schema.refusal(version, by: address.name) {
        fail(refusal)
      } else {
        fail(.olderSchema(server: address.name, version: version, known: Schema.version))
      }
    case .failure(let error): fail(error)
    }
  }

  /// Prepares a connection that a process of the server serves.
  private func prepare(process: Int) {
    isPooled = connection?.process != process
    // What is set in a shared process would be set for others, too.
    if isPooled { return testNotifications() }
    notifications = .arriving
    // Compiling takes longer than each of these statements.
    var settings = ["SET jit = off"]
    // Notifications arrive at an idle session.
    if let version = connection?.serverVersion, version >= 140_000 {
      settings.append("SET idle_session_timeout = 0")
    }
    prologue =
      settings.map {
        Request(statement: $0, parameters: [], answer: { _ in }, isPrologue: true)
      } + prologue
  }

  private func fail(_ error: ServerError) {
    let report = onFailure
    close()
    report(error)
  }

  private func loseConnection(_ reason: String) {
    if connection?.hasTimedOut == true { firstServer += 1 }
    // Firewalls and poolers end a connection that has nothing to do: the first attempt is made without a
    // word.
    if isReady, current == nil, !isTold, quietLoss == nil {
      quietLoss = reason
      disconnect()
      timer = loop.timer(after: Self.leastDelay) { [unowned self] in connect() }
      return
    }
    lose(reason)
  }

  private func lose(_ reason: String) {
    guard !isClosed else { return }
    disconnect()
    // Each server is tried first once.
    if !hasConnected, firstServer == 0 || firstServer >= address.serverCount {
      return fail(.unreachable(server: address.name, reason: reason))
    }
    if hasConnected { tell(quietLoss ?? reason) }
    // The owner may have closed it.
    if isClosed { return }
    delay = min(max(delay * 2, Self.leastDelay), .seconds(1))
    timer?.cancel()
    timer = loop.timer(after: delay) { [unowned self] in connect() }
  }

  private func tell(_ problem: String) {
    guard !isTold else { return }
    isTold = true
    onChange(problem)
  }

  /// Notes that the connection works.
  private func recover() {
    quietLoss = nil
    delay = .zero
    guard isTold else { return }
    isTold = false
    onChange(nil)
  }

  private func disconnect() {
    isReady = false
    forgetNotifications()
    connection?.close()
    connection = nil
    timer?.cancel()
    timer = nil
    prologue = []
    if let current, !current.isPrologue { waiting.putBack(current) }
    current = nil
    waiting.removeAll(where: \.endsWithConnection)
  }

  // MARK: Statements

  private func sendNext() {
    guard isReady, !isPreparing, current == nil, let connection else { return }
    let request: Request
    if !prologue.isEmpty {
      request = prologue.removeFirst()
    } else if let next = waiting.next() {
      request = next
    } else {
      return
    }
    current = request
    connection.send(request.statement, request.parameters)
  }

  private func receive(_ result: Result<ServerRows, ServerError>?) {
    guard var request = current else { return }
    current = nil
    if case .failure(let error) = result {
      if error.isTemporary || error.isReadOnly && hasFoundPrimary { return retry(request, error) }
      request.cancellations += 1
      if error.isCancellation, request.cancellations < Self.mostCancellations {
        return retry(request, error)
      }
    } else if !request.isPrologue {
      recover()
    }
    if let result { request.answer(result) }
    // A server that answers may still refuse what comes first.
    if request.isPrologue, prologue.isEmpty, isReady { recover() }
    sendNext()
  }

  /// Sends a statement again after a while.
  private func retry(_ request: Request, _ error: ServerError) {
    if request.isPrologue { return lose("\(error)") }
    waiting.putBack(request)
    if case .failed(_, let code, _) = error, code.hasPrefix("40") { return sendNext() }
    isReady = false
    tell(error.isReadOnly ? "it only reads for now" : "\(error)")
    if isClosed { return }
    timer = loop.timer(after: .seconds(1)) { [unowned self] in
      isReady = true
      sendNext()
    }
  }
}
