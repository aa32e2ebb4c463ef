import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// What clients do with services.
extension Hub {
  func answer(
    _ action: HubRoute.ServiceAction, of name: String, _ request: HTTPRequest,
    _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError) {
    _ = try Query(request, known: [])
    let body = try JSONBody(request.body, known: ["input", "if_up", "name"])
    if action == .restart, body["if_up"] == nil {
      let meant = body["name"]?.string.map { ServiceName($0) }
      return try restart(
        try exact(meant ?? ServiceName(name, input: body["input"])),
        for: request.caller ?? session.host.environment, respond)
    }
    let command = try service(name)
    let input: LuaValue
    do throws(InputError) {
      if let json = body["input"] {
        input = try command.checked(try command.host.value(json: json.text))
      } else {
        input = try command.input(from: [])
      }
    } catch {
      throw APIError(422, "input", "\(name): \(error)")
    }
    command.hideSecrets(of: input)
    let stream = ServiceStream()
    let caller = request.caller ?? session.host.environment
    switch action {
    case .uses:
      let client = request["x-raclette-process"].flatMap { pid_t($0) }
      let asking = CompoundDisposable()
      stream.holdBack()
      // As long as it is no user itself.
      holder.remarks(toUserOf: command, input, for: caller, in: asking) {
        stream.proceed(behind: $0.map(\.json))
      }
      let use = holder.use(command, input, by: .client(client), for: caller) { stream.send($0) }
      let restarts = holder.neededRestarts.add(
        ServiceKey(command, input), by: client, for: caller
      ) { stream.send($0.json) }
      stream.onLeave = { [self] in
        asking.dispose()
        restarts.dispose()
        use.dispose()
        let ends = holder.ends(of: [holder.running(command, input)])
        guard !ends.isOver else { return false }
        after(ends) { stream.finish(ends.killed.map(\.json)) }
        return true
      }
    case .watches:
      stream.isWatch = true
      let watching = holder.watch(command, input) { stream.send($0) }
      stream.onLeave = {
        watching.dispose()
        return false
      }
    case .lines:
      let lines = holder.output(of: command, input) { stream.send($0.json) }
      stream.onLeave = {
        lines.dispose()
        return false
      }
    case .holds:
      if let reason = holder.reasonOfEnd(of: command, input) { throw .ended(name, reason) }
      holder.hold(command, input, for: caller)
      recordHeld()
      return respond(.json(200, .object([])))
    case .restart:
      if let problem = panel.loadProblem { throw .notRestarted(name, problem, doesLoad: false) }
      let key = ServiceKey(command, input)
      let running = holder.restartable(ServiceName(key)).first { $0.key == key }
      if let lack = running.flatMap({ holder.lack(of: $0, for: caller) }) {
        throw .notRestarted(name, lack, doesLoad: true)
      }
      holder.restart(command, input, for: caller) { result in
        respond(.json(200, .object([("restarted", .bool((try? result.get()) == true))])))
      }
      return
    }
    self.respond(with: stream, respond)
  }

  /// Starts services of a name again, and answers once all are up again, or one has failed. One that had
  /// ended, or was ending, and has no users is held.
  private func restart(
    _ name: ServiceName, for caller: CallerEnvironment,
    _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError) {
    let services = holder.restartable(name)
    guard !services.isEmpty else {
      if let problem = panel.loadProblem, awaited.contains(where: { name.covers($0.key) }) {
        throw .notStarted(name.description, problem)
      }
      throw .down(name.description)
    }
    let loadProblem = panel.loadProblem
    if let lack = loadProblem
      ?? services.lazy.compactMap({ self.holder.lack(of: $0, for: caller) }).first
    {
      let word = name.description.quotedForShell
      throw .notRestarted(
        name.description, "\(lack); to end it: raclette :down \(word)",
        doesLoad: loadProblem == nil)
    }
    HubLog.note("restart \(name)")
    var waiting = services.count
    var failure: (ServiceKey, Failure)?
    var held: Set<ServiceKey> = []
    var killed: [ServiceKey: Duration] = [:]
    var state = ServiceState.ready
    for service in services {
      ServiceRestart(service, for: caller, holder, session.loop) { [self] result in
        switch result {
        case .failure(let reason): failure = failure ?? (service.key, reason)
        case .success(let reached):
          if reached.state != .ready { state = reached.state }
          killed[service.key] = reached.killedAfter
          guard !service.isUsed, service.isOver || service.state == .ending else { break }
          holder.hold(service.command, service.input, for: caller)
          recordHeld()
          held.insert(service.key)
        }
        waiting -= 1
        guard waiting == 0 else { return }
        let restarted = services.map { service -> JSONValue in
          let isHeld = held.contains(service.key) ? [("held", JSONValue.bool(true))] : []
          let grace = killed[service.key].map { [("killed", JSONValue.number($0.inSeconds))] } ?? []
          return .object([("service", .string(service.key.text))] + isHeld + grace)
        }
        let response =
          failure.map { APIError.failed($0.0, $0.1).response }
          ?? .json(
            200,
            .object([("state", .string(state.rawValue)), ("restarted", .list(restarted))]))
        // The order itself is no user of the service any more by then.
        session.loop.enqueue(onLoop { respond(response) })
      }.begin()
    }
  }

  private func service(_ name: String) throws(APIError) -> ScriptCommand {
    guard let command = session.host.command(named: name) else {
      if let problem = panel.loadProblem { throw .notStarted(name, problem) }
      throw .command(name, meant: session.host.meaning(of: name))
    }
    guard command.isService else { throw .request("'\(name)' is not a service") }
    return command
  }

  /// The services that a name can mean now.
  private var faces: [ServiceFace] { holder.faces + awaited.map(\.key.face) }

  /// The exact name of what a name means; the name itself if it means none.
  ///
  /// - Throws: `APIError` if it means several.
  private func exact(_ name: ServiceName) throws(APIError) -> ServiceName {
    let meant = name.meant(among: faces, \.self)
    if let problem = name.problem(meaning: meant) { throw APIError(422, "input", problem) }
    return name.exact(meaning: meant)
  }

  /// The names of the services that some names mean.
  func meant(by names: [ServiceName]) -> Set<ServiceName>? {
    names.isEmpty
      ? nil : Set(names.flatMap { $0.meant(among: faces, \.self) }.map { ServiceName($0) })
  }

  /// Ends services, and answers once nothing of them is left.
  ///
  /// - Parameter given: their names; empty for all.
  func end(
    _ given: [ServiceName], _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError) {
    var exact: [ServiceName] = []
    for name in given { exact.append(try self.exact(name)) }
    let names = given.isEmpty ? nil : Set(exact)
    let ended = holder.end(names, because: "'raclette down' has ended it")
    let forgotten = awaited.filter { names.covers($0.key) }
    awaited.subtract(forgotten)
    recordHeld()
    let concerned = ended.running + ended.failed + forgotten.map(\.key)
    // Secrets in a name are known only if there is such a service.
    let found = (names ?? []).filter { concerned.contains(where: $0.covers) }
    if given.isEmpty || !found.isEmpty {
      HubLog.note((["down"] + found.map(\.description).sorted()).joined(separator: " "))
    }
    let absent = zip(given, exact).filter { !concerned.contains(where: $1.covers) }.map(\.0)
    after(holder.ends(ofNames: names)) {
      let over = ended.running.map(\.text) + forgotten.map(\.key.text).sorted()
      let killed = ended.killed.map { ($0.key.text, JSONValue.number($0.value.inSeconds)) }
      respond(
        .json(
          200,
          .object([
            ("ended", .list(over.map { .string($0) })),
            ("failed", .list(ended.failed.map { .string($0.text) })), ("killed", .object(killed)),
            ("absent", .list(absent.map { .string($0.address) })),
          ])))
    }
  }
}

extension APIError {
  fileprivate static func down(_ name: String) -> APIError {
    APIError(404, "not_found", "'\(name)' is not up")
  }

  /// It has ended, or is going to, since its client has seen it run.
  fileprivate static func ended(_ name: String, _ reason: String) -> APIError {
    APIError(409, "ended", "'\(name)' is not held: \(reason)")
  }

  /// The command file does not load.
  fileprivate static func notStarted(_ name: String, _ reason: String) -> APIError {
    APIError(422, "definition", "'\(name)' cannot be started: \(reason)", doesNotLoad)
  }

  /// Its present definition cannot be had.
  fileprivate static func notRestarted(
    _ name: String, _ reason: String, doesLoad: Bool
  ) -> APIError {
    APIError(
      422, "definition", "'\(name)' keeps running unchanged: \(reason)", doesLoad ? [] : doesNotLoad
    )
  }

  private static let doesNotLoad: [(String, JSONValue)] = [
    ("exit_status", .integer(Int64(ExitStatus.commandFileError)))
  ]

  fileprivate static func failed(_ service: ServiceKey, _ failure: Failure) -> APIError {
    APIError(
      409, "failed",
      "'\(service.text)' failed: \(failure.message); "
        + "raclette :logs \(service.text.quotedForShell) shows what it has printed",
      [("exit_status", .integer(Int64(failure.exitStatus(ofSingle: true))))])
  }
}
