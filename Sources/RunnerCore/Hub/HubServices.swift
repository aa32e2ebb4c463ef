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
  private let watches = ServiceWatches()
  private var client: HubClient?
  private lazy var hubGuard = HubGuard(on: loop)
  /// The services whose ends the hub has yet to report, each as often as this process has used it. Only
  /// the hub can kill them.
  private var ending: [ServiceKey] = [] {
    didSet { Interruption.leaveForce(toProgram: !ending.isEmpty) }
  }
  /// The services that were said to have been killed at their ends.
  private var toldKilled: Set<KilledService> = []
  /// True once the user has asked to kill them.
  private var isKillWanted = false
  /// The number of streams that the hub has yet to end, with what nobody uses any more.
  private var endingCount = 0
  /// The processes of services that were said to run otherwise than they would be started.
  private var told: [ServiceRemark.Topic: Int64] = [:]
  /// What goes on once a hub runs.
  private var next: NextHub?

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
    next = NextHub(client.place, on: loop)
    return client
  }

  func use(
    _ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment,
    _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    let key = ServiceKey(command, input)
    let use = stream(
      command, input, "uses", .start, from: .loaded(caller),
      onNews: { [watches] in
        watches.tell($0, of: key)
        observer($0)
      }, orWithoutHub: observer)
    guard let client else { return use }
    hubGuard?.useBegins(in: command.host, by: client) { [unowned self] in next?.keep($0) }
    return ActionDisposable(
      onLoop { [weak self] in
        use.dispose()
        self?.hubGuard?.useEnded()
        self?.next?.dropEnded()
      })
  }

  func watch(
    _ command: ScriptCommand, _ input: LuaValue, _ observer: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    let key = ServiceKey(command, input)
    let watch = watches.add(key, observer)
    let stream = stream(
      command, input, "watches", .fail, from: .none, onNews: watch.receive,
      orWithoutHub: watch.replace)
    return ActionDisposable(
      onLoop { [watches] in
        watches.remove(watch, of: key)
        stream.dispose()
      })
  }

  func restart(
    _ command: ScriptCommand, _ input: LuaValue, for caller: CallerEnvironment,
    _ done: @escaping (Result<Bool, any Error>) -> Void
  ) {
    let client: HubClient
    do { client = try hub() } catch { return done(.failure(error)) }
    let request = HubRequest.service(
      "restart", of: command, input, [("if_up", .bool(true))], from: .loaded(caller))
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
    start(command, input, "lines", .start, from: .none) { event in
      if case .line(let json) = event, let line = ServiceLine(json) { receive(line) }
    }
  }

  /// Begins a stream of statuses.
  ///
  /// - Parameters:
  ///   - onNews: called with each that the hub has sent.
  ///   - withoutHub: called with each that is known without the hub.
  private func stream(
    _ command: ScriptCommand, _ input: LuaValue, _ kind: String, _ absence: HubClient.Absence,
    from caller: HubRequest.Caller, onNews: @escaping (ServiceStatus) -> Void,
    orWithoutHub withoutHub: @escaping (ServiceStatus) -> Void
  ) -> any Disposable {
    var isOver = false
    let report = { (status: ServiceStatus) in
      isOver = status.state.isOver
      withoutHub(status)
    }
    return start(command, input, kind, absence, from: caller) { [weak self] event in
      switch event {
      case .line(let json):
        if let remark = ServiceRemark(json) { self?.tell(remark) }
        NeededService(json)?.report(in: command.host)
        guard let status = ServiceStatus(json) else { break }
        isOver = status.state.isOver
        onNews(status)
        // A hub that ends tells no more than that.
        if !isOver, status.state != .ending { self?.next?.wake() }
      case .lost:
        var status = ServiceStatus(.restarting, since: WallClock.milliseconds)
        status.failure = "its hub was killed"
        report(status)
      case .ended:
        guard !isOver else { break }
        var status = ServiceStatus(.down, since: WallClock.milliseconds)
        status.failure = absence == .start ? "its hub has ended" : nil
        report(status)
      // What a watch has reported last may be what a use has learnt.
      case .absent:
        if !isOver || kind == "watches" {
          report(ServiceStatus(.down, since: WallClock.milliseconds))
        }
      case .failed(let error):
        var status = ServiceStatus(.failed, since: WallClock.milliseconds)
        status.failure = error.description
        report(status)
      }
    }
  }

  /// Says that a service goes on otherwise than it would be started, once for each of its processes.
  private func tell(_ remark: ServiceRemark) {
    guard told.updateValue(remark.process, forKey: .init(remark)) != remark.process else { return }
    report.say(remark.text)
  }

  private func start(
    _ command: ScriptCommand, _ input: LuaValue, _ kind: String, _ absence: HubClient.Absence,
    from caller: HubRequest.Caller, _ receive: @escaping (HubStream.Event) -> Void
  ) -> any Disposable {
    let stream: HubStream
    do {
      let request = HubRequest.service(kind, of: command, input, from: caller)
      stream = HubStream(try hub(), request, absence, receive)
    } catch {
      receive(.failed(.cannotStart(file: file, reason: "\(error)")))
      return ActionDisposable {}
    }
    stream.onIdle = { [unowned self, unowned stream] in next?.keep(stream) }
    if kind == "watches" {
      stream.onRefusal = { [unowned self, unowned stream] in next?.keepForAnother(stream) }
    }
    stream.send()
    let key = kind == "uses" ? ServiceKey(command, input) : nil
    let host = command.host
    return ActionDisposable(
      onLoop { [weak self] in
        guard let self else { return stream.end({ _ in }, {}) }
        if let key { ending.append(key) }
        endingCount += 1
        let patience = key.map { reportSlowEnd(of: $0, in: host) }
        stream.end({ [self] killed in
          if !isKillWanted, toldKilled.insert(killed).inserted { report.say(killed.text) }
        }) { [self] in
          endingCount -= 1
          patience?.cancel()
          if let key { ending.removeFirst(key) }
        }
        next?.dropEnded()
      })
  }

  /// Reports a service that has not ended after a second. A run that a signal ends reports its wait itself.
  private func reportSlowEnd(of key: ServiceKey, in host: ScriptHost) -> Timer {
    let timer = loop.timer(after: HubClient.patience) { [weak self] in
      let isWaiting = { [weak self] in
        self?.ending.contains(key) == true && host.endingSignal == nil
      }
      if isWaiting() { self?.client?.reportWait(for: [ServiceName(key)], while: isWaiting) }
    }
    timer.unref()
    return timer
  }

  var isEnding: Bool { endingCount > 0 }

  var namesOfEnding: [String] { Set(ending.map(\.text)).sorted() }

  func kill(_ done: @escaping () -> Void) {
    isKillWanted = true
    guard let client, !ending.isEmpty else { return done() }
    let call = client.send(
      .kill(Set(ending).map { ServiceName($0) }, unlessUsed: true), .fail)
    call.onEnd = { _ in
      withExtendedLifetime(call) {}
      done()
    }
  }
}

extension [ServiceKey] {
  /// Removes one of those that are equal to a key.
  fileprivate mutating func removeFirst(_ key: ServiceKey) {
    if let index = firstIndex(of: key) { remove(at: index) }
  }
}

extension ServiceStatus {
  /// Reads what `fields` has made; nil for something else.
  init?(_ json: JSONValue) {
    guard let state = json[field: "state"]?.string.flatMap(ServiceState.init) else { return nil }
    self.init(state, since: json[field: "since"]?.integer ?? 0)
    isPreparing = if case .bool(true)? = json[field: "preparing"] { true } else { false }
    waits = json[field: "waits"].flatMap { Contention($0) }
    pid = json[field: "pid"]?.integer.map { Int32(truncatingIfNeeded: $0) }
    restarts = Int(json[field: "restarts"]?.integer ?? 0)
    users = Int(json[field: "users"]?.integer ?? 0)
    began = json[field: "began"]?.integer
    probe = json[field: "probe"]?.string
    failure = json[field: "failure"]?.string
    killedAfter = json[field: "killed_after"]?.seconds.map { .seconds($0) }
    cause = json[field: "cause"]?.string.flatMap(Failure.Kind.init)
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
