import EventLoop
import Platform
import Scripting

/// The way from this process to the hub of its command file. On the loop's thread.
package final class HubClient: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  package let place: HubPlace
  private let loop: EventLoop
  let report: Report
  private(set) var start: HubStart?
  /// What waits for the hub that is being started.
  private var waiting: [Call] = []
  private var hasToldVersion = false
  /// True once it was reported that the hub does not answer.
  var hasReportedSilence = false
  /// What asks the hub what a call waits for.
  var look: Call?

  package init(_ place: HubPlace, on loop: EventLoop, _ report: Report) {
    self.place = place
    self.loop = loop
    self.report = report
    ServiceIDKey.use(of: place)
  }

  /// What happens when no hub runs, and none was killed that has left something: a successor of that one
  /// is always started, because only that one ends it, and knows what was lost.
  package enum Absence: Sendable {
    /// One is started.
    case start
    /// The call fails.
    case fail
  }

  /// A call: a request, and the answer as it comes.
  package final class Call: @unchecked Sendable {
    // Unchecked: confined to the main thread, where the loop runs.

    let request: HubRequest
    fileprivate let absence: Absence
    fileprivate(set) var exchange: HubExchange?
    fileprivate var attempts = 0
    /// The lines of an answer that refuses the request.
    fileprivate var refusal: [UInt8] = []
    /// Called with each line of the body of an answer that grants the request.
    package var onLine: ([UInt8]) -> Void = { _ in }
    /// Called once at the end of the answer, with the reason of a failure. Not called after `cancel`.
    package var onEnd: (HubError?) -> Void = { _ in }

    fileprivate init(_ request: HubRequest, _ absence: Absence) {
      self.request = request
      self.absence = absence
    }

    /// Closes the connection, so that the hub frees what it held for this call.
    package func cancel() {
      exchange?.cancel()
      exchange = nil
      isOver = true
      onLine = { _ in }
      onEnd = { _ in }
    }

    /// Ends what the hub holds for this call, and keeps the loop alive until that has ended.
    ///
    /// - Parameters:
    ///   - onLine: called with each line until then.
    ///   - done: called then.
    func finish(_ onLine: @escaping ([UInt8]) -> Void, _ done: @escaping () -> Void) {
      isOver = true
      self.onLine = { _ in }
      onEnd = { _ in }
      guard let exchange else { return done() }
      self.exchange = nil
      exchange.finish(onLine, done)
    }

    fileprivate(set) var isOver = false {
      didSet { if isOver { onOver.take()?() } }
    }
    fileprivate var onOver: (() -> Void)?

    fileprivate func end(_ error: HubError?) {
      guard !isOver else { return }
      isOver = true
      exchange = nil
      let onEnd = onEnd
      onLine = { _ in }
      self.onEnd = { _ in }
      onEnd(error)
    }
  }

  /// Sends a request in the next turn.
  ///
  /// - Returns: the call, whose handlers are set before the next turn.
  package func send(_ request: HubRequest, _ absence: Absence) -> Call {
    let call = Call(request, absence)
    loop.enqueue { [self] in connect(call) }
    let timer = loop.timer(after: Self.patience) { [weak self, weak call] in
      if let call, !call.isOver, call.exchange?.status == nil { self?.reportWait(for: call) }
    }
    timer.unref()
    return call
  }

  /// Sends a request and waits for the whole answer, which is one line.
  ///
  /// - Parameter isLeft: true to wait no longer; nil to wait until the session ends.
  /// - Throws: `HubError`.
  package func ask(
    _ request: HubRequest, _ absence: Absence, in session: Session,
    until isLeft: (() -> Bool)? = nil
  ) throws(HubError) -> JSONValue {
    let isLeft = isLeft ?? { session.isEnding }
    let call = send(request, absence)
    var answer: [UInt8] = []
    var end: HubError??
    call.onLine = { answer += $0 }
    call.onEnd = { end = .some($0) }
    session.wait { end != nil || isLeft() }
    call.cancel()
    if let error = end ?? nil { throw error }
    return JSONValue(text: String(decoding: answer, as: UTF8.self)) ?? .null
  }

  /// Sends a request to the hub that runs, or to the successor of a killed one that has left something.
  ///
  /// - Returns: the answer; nil if nothing runs.
  package func askIfRunning(
    _ request: HubRequest, in session: Session
  ) throws(HubError) -> JSONValue? {
    do { return try ask(request, .fail, in: session) } catch {
      if case .notRunning = error { return nil }
      throw error
    }
  }

  // MARK: Connecting

  /// How often a call that has got no answer is sent: the hub may be about to end, or to be replaced by
  /// one of this version.
  private static let mostAttempts = 5
  /// The time until the next attempt to connect where too many wait.
  private static let crowded = Duration.milliseconds(20)
  /// The time until the next attempt where a hub is about to end.
  private static let replacement = Duration.milliseconds(100)

  private func connect(_ call: Call) {
    guard !call.isOver else { return }
    do { try place.checkOwner() } catch { return call.end(error) }
    let descriptor = LocalSocket.connect(to: place.socket)
    guard descriptor >= 0 else {
      // Nothing tells when the hub has accepted some of those who came before.
      if errno == EAGAIN {
        loop.timer(after: Self.crowded) { [self] in connect(call) }
        return
      }
      guard [ENOENT, ECONNREFUSED, ENOTDIR].contains(errno) else {
        return call.end(
          .cannotConnect(
            file: place.commandFile, socket: place.socket, reason: systemErrorText(errno)))
      }
      return waitForHub(call)
    }
    let user = LocalSocket.user(behind: descriptor)
    guard user == getuid() else {
      close(descriptor)
      return call.end(.foreign(file: place.commandFile, socket: place.socket, user: user))
    }
    call.attempts += 1
    do {
      let exchange = try HubExchange(descriptor, call.request.bytes, on: loop)
      call.exchange = exchange
      follow(exchange, call)
    } catch {
      call.end(
        .cannotConnect(file: place.commandFile, socket: place.socket, reason: "\(error)"))
    }
  }

  private func follow(_ exchange: HubExchange, _ call: Call) {
    exchange.onHead = { [unowned self, unowned exchange] in checkVersion(of: exchange) }
    exchange.onLine = { [unowned exchange, unowned call] line in
      if exchange.status ?? 0 < 400 { call.onLine(line) } else { call.refusal += line }
    }
    exchange.onEnd = { [self, unowned exchange] in
      guard let status = exchange.status else { return again(call) }
      guard status >= 400 else { return call.end(nil) }
      let error = JSONValue(text: String(decoding: call.refusal, as: UTF8.self))?[field: "error"]
      let kind = error?[field: "kind"]?.string ?? ""
      if kind == "replaced", call.attempts < Self.mostAttempts {
        loop.timer(after: Self.replacement) { [self] in again(call) }
        return
      }
      guard exchange.isOfThisProtocol else {
        let version = exchange.version
        return call.end(
          .otherProtocol(file: place.commandFile, process: place.process, version: version))
      }
      call.end(
        .refused(
          status: status, kind: kind,
          message: error?[field: "message"]?.string ?? "the hub answers with status \(status)",
          exitStatus: error?[field: "exit_status"]?.integer.flatMap { Int32(exactly: $0) }))
    }
  }

  private func again(_ call: Call) {
    call.exchange = nil
    call.refusal = []
    guard call.attempts < Self.mostAttempts else {
      return call.end(.lost(file: place.commandFile, log: place.log))
    }
    connect(call)
  }

  private func checkVersion(of exchange: HubExchange) {
    guard exchange.isOfThisProtocol, let version = exchange.version, version != ScriptHost.version,
      !hasToldVersion
    else { return }
    hasToldVersion = true
    report.say(
      "the hub of \(place.commandFile) runs Raclette \(version), and this is "
        + "\(ScriptHost.version); it will be replaced once it holds nothing")
  }

  /// Lets a call wait for a hub that is started for it.
  private func waitForHub(_ call: Call) {
    guard call.absence == .start || !HubInheritance(at: place.record).isEmpty else {
      return call.end(.notRunning(file: place.commandFile))
    }
    waiting.append(call)
    call.onOver = { [weak self] in self?.leaveUnwantedStart() }
    guard start == nil else { return }
    do {
      try place.prepare()
      start = try HubStart(
        place, on: loop, onWait: { [unowned self] in reportPredecessor() }
      ) { [unowned self] in hasStarted($0) }
    } catch { fail(error) }
  }

  /// Leaves the hub that is being started once no call waits for it any more.
  private func leaveUnwantedStart() {
    waiting.removeAll(where: \.isOver)
    guard waiting.isEmpty else { return }
    start?.cancel()
    start = nil
  }

  private func hasStarted(_ result: Result<String, HubError>) {
    start = nil
    switch result {
    case .success(let news):
      for line in news.split(separator: "\n") { report.say(String(line)) }
      let calls = waiting
      waiting = []
      for call in calls { connect(call) }
    case .failure(let error): fail(error)
    }
  }

  private func fail(_ error: HubError) {
    let calls = waiting
    waiting = []
    for call in calls { call.end(error) }
  }
}

extension HubExchange {
  /// The version of Raclette that the hub is of.
  fileprivate var version: String? { fields["x-raclette-version"] }

  fileprivate var isOfThisProtocol: Bool {
    fields[HubProtocol.field.lowercased()] == String(HubProtocol.number)
  }
}
