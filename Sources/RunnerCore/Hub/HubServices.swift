import EventLoop
import LuaRuntime
import Platform
import Reactive
import Scripting

/// The services of a command file as a client of its hub uses them. The hub is started with the first
/// use. On the loop's thread.
final class HubServices: ServiceProvider {
  private let file: String
  private let loop: EventLoop
  private let report: Report
  private var client: HubClient?
  private lazy var guardian = HubGuard(on: loop)
  /// What watches a service while no hub runs.
  private var idle: [ObjectIdentifier: HubServiceStream] = [:]

  init(_ file: String, _ loop: EventLoop, _ report: Report) {
    // Scripts may change the folder.
    self.file = resolvedPath(file) ?? file
    self.loop = loop
    self.report = report
  }

  private func hub() throws -> HubClient {
    if let client { return client }
    let client = HubClient(try HubPlace(file), on: loop, report)
    self.client = client
    return client
  }

  func use(
    _ command: ScriptCommand, _ input: LuaValue, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    let use = stream(command, input, "uses", .start) { [weak self] status in
      observer(status)
      self?.wakeIdle()
    }
    guard let client else { return use }
    guardian?.useBegins(in: command.host, by: client)
    return ActionDisposable(
      onLoop { [weak self] in
        use.dispose()
        self?.guardian?.useEnded()
      })
  }

  func watch(
    _ command: ScriptCommand, _ input: LuaValue, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable { stream(command, input, "watches", .fail, observer) }

  func restart(
    _ command: ScriptCommand, _ input: LuaValue, _ done: @escaping (Result<Bool, any Error>) -> Void
  ) {
    let client: HubClient
    do { client = try hub() } catch { return done(.failure(error)) }
    let request = Self.request("restart", of: command, input, [("if_up", .bool(true))])
    let call = client.send(request, .fail)
    var answer: [UInt8] = []
    call.onLine = { answer += $0 }
    call.onEnd = { error in
      withExtendedLifetime(call) {}
      if case .notRunning? = error { return done(.success(false)) }
      if let error { return done(.failure(error)) }
      let said = JSONValue(text: String(decoding: answer, as: UTF8.self))
      let isUp = if case .bool(true)? = said?[field: "restarted"] { true } else { false }
      done(.success(isUp))
    }
  }

  func output(
    of command: ScriptCommand, _ input: LuaValue, _ receive: @escaping (ServiceLine) -> Void
  ) -> any Disposable {
    start(command, input, "lines", .start) { event in
      if case .line(let json) = event, let line = ServiceLine(json) { receive(line) }
    }
  }

  private func stream(
    _ command: ScriptCommand, _ input: LuaValue, _ kind: String, _ absence: HubClient.Absence,
    _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    start(command, input, kind, absence) { event in
      switch event {
      case .line(let json): if let status = ServiceStatus(json) { observer(status) }
      case .lost:
        var status = ServiceStatus(.restarting, since: WallClock.milliseconds)
        status.failure = "its hub was killed"
        observer(status)
      case .absent: observer(ServiceStatus(.down, since: WallClock.milliseconds))
      case .failed(let error):
        var status = ServiceStatus(.failed, since: WallClock.milliseconds)
        status.failure = error.description
        observer(status)
      }
    }
  }

  private static func request(
    _ action: String, of command: ScriptCommand, _ input: LuaValue,
    _ fields: [(String, JSONValue)] = []
  ) -> HubRequest {
    let json = input.isNil ? nil : try? command.host.jsonValue(input)
    return HubRequest(
      "POST", "services/\(PercentEncoding.encoded(command.name))/\(action)",
      .object((json.map { [("input", $0)] } ?? []) + fields))
  }

  private func start(
    _ command: ScriptCommand, _ input: LuaValue, _ kind: String, _ absence: HubClient.Absence,
    _ receive: @escaping (HubServiceStream.Event) -> Void
  ) -> any Disposable {
    let stream: HubServiceStream
    do {
      stream = HubServiceStream(try hub(), Self.request(kind, of: command, input), absence, receive)
    } catch {
      receive(.failed(.cannotStart(file: file, reason: "\(error)")))
      return ActionDisposable {}
    }
    stream.onIdle = { [unowned self, unowned stream] in
      idle[ObjectIdentifier(stream)] = stream
    }
    stream.send()
    return ActionDisposable(
      onLoop { [weak self] in
        self?.idle[ObjectIdentifier(stream)] = nil
        stream.end()
      })
  }

  /// Lets those who watch ask the hub, as one runs now.
  private func wakeIdle() {
    guard !idle.isEmpty else { return }
    let streams = idle.values
    idle = [:]
    for stream in streams { stream.send() }
  }
}

/// What a hub tells of one service, as long as its client wants to know. On the loop's thread.
final class HubServiceStream: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  enum Event {
    case line(JSONValue)
    /// The hub has gone; the stream goes on with its successor.
    case lost
    /// No hub runs, and none is to be started.
    case absent
    case failed(HubError)
  }

  private let client: HubClient
  private let request: HubRequest
  private let absence: HubClient.Absence
  private var receive: (Event) -> Void
  private var call: HubClient.Call?
  private var isOver = false
  /// True once the hub has told something.
  private var hasBegun = false
  /// How often the hub was lost without having told anything.
  private var losses = 0
  /// Called when no hub runs.
  var onIdle: () -> Void = {}

  private static let mostLosses = 3

  init(
    _ client: HubClient, _ request: HubRequest, _ absence: HubClient.Absence,
    _ receive: @escaping (Event) -> Void
  ) {
    (self.client, self.request, self.absence, self.receive) = (client, request, absence, receive)
  }

  func send() {
    guard !isOver else { return }
    hasBegun = false
    let call = client.send(request, absence)
    self.call = call
    call.onLine = { [weak self] line in
      guard let self, let json = JSONValue(text: String(decoding: line, as: UTF8.self)) else {
        return
      }
      (hasBegun, losses) = (true, 0)
      receive(.line(json))
    }
    call.onEnd = { [weak self] error in self?.ended(error) }
  }

  private func ended(_ error: HubError?) {
    call = nil
    guard !isOver else { return }
    switch error {
    case nil:
      losses += hasBegun ? 0 : 1
      guard losses < Self.mostLosses else {
        return receive(
          .failed(.lost(file: client.place.commandFile, log: client.place.log)))
      }
      receive(.lost)
      send()
    case .notRunning:
      onIdle()
      receive(.absent)
    case let error?: receive(.failed(error))
    }
  }

  /// Ends the use: tells the hub so, and keeps the loop alive until the hub has ended what nobody uses
  /// any more.
  func end() {
    guard !isOver else { return }
    isOver = true
    receive = { _ in }
    call?.finish()
    call = nil
  }
}

extension ServiceStatus {
  /// Reads what `fields` has made; nil for something else.
  init?(_ json: JSONValue) {
    guard let state = json[field: "state"]?.string.flatMap(ServiceState.init) else { return nil }
    self.init(state, since: json[field: "since"]?.integer ?? 0)
    pid = json[field: "pid"]?.integer.map { Int32(truncatingIfNeeded: $0) }
    restarts = Int(json[field: "restarts"]?.integer ?? 0)
    users = Int(json[field: "users"]?.integer ?? 0)
    probe = json[field: "probe"]?.string
    failure = json[field: "failure"]?.string
    code = json[field: "code"]?.integer.map { Int32(truncatingIfNeeded: $0) }
    if case .list(let lines)? = json[field: "lines"] { self.lines = lines.compactMap(\.string) }
  }
}

extension ServiceLine {
  /// Reads what `json` has made; nil for something else.
  init?(_ json: JSONValue) {
    let isError = if case .bool(true)? = json[field: "stderr"] { true } else { false }
    if let text = json[field: "value_base64"]?.string, let bytes = Base64.bytes(of: text) {
      self.init(bytes, isError: isError)
    } else if let text = json[field: "value"]?.string {
      self.init(text.exactBytes, isError: isError)
    } else {
      return nil
    }
  }

  /// The line as a hub sends it.
  package var json: JSONValue {
    let text = String(exactly: bytes)
    let value: (String, JSONValue) =
      text.keepsBytes ? ("value_base64", .string(Base64.text(of: bytes))) : ("value", .string(text))
    return .object([value] + (isError ? [("stderr", .bool(true))] : []))
  }
}
