import EventLoop
import Platform
import Reactive
import RunnerCore
import Scripting

/// The services that a panel shows: their states, as the hub of the command file reports them, and the
/// orders of pages. On the loop's thread.
final class PanelServices: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  /// The states by the names of the commands.
  private(set) var states: [String: ServiceStatus] = [:]
  private unowned let panel: Panel
  private var place: HubPlace { client.place }
  private let client: HubClient
  private var watching = CompoundDisposable()

  /// The lines of a log that a page is sent.
  private static let lines = 200

  init(_ panel: Panel, _ client: HubClient) { (self.panel, self.client) = (panel, client) }

  deinit { end() }

  /// Reports the states of the services of the present commands.
  func begin() {
    watching.dispose()
    watching = CompoundDisposable()
    states = [:]
    let host = panel.workspace.host
    for command in host.commands where command.isService && !command.isPrivate {
      guard let input = try? command.input(from: []) else { continue }
      let name = command.name
      watching.add(
        host.services.watch(command, input) { [weak self] status in self?.note(status, of: name) })
    }
  }

  func end() { watching.dispose() }

  private func note(_ status: ServiceStatus, of name: String) {
    var status = status
    status.lines = []
    guard states[name] != status else { return }
    states[name] = status
    panel.metrics.note(status, of: name)
    panel.stateMayHaveChanged(name)
  }

  // MARK: Orders

  /// Restarts a service, and answers once it is ready or cannot be, or if the hub does not answer.
  func restart(
    _ command: ScriptCommand, _ respond: @escaping (HTTPResponse) -> Void
  ) {
    awaitAnswer(for: command) { [self] error in
      guard let error else { return restartNow(command, respond) }
      respond(error.response)
    }
  }

  /// The time in which a hub that works answers.
  private static let patience = Duration.seconds(10)

  private func awaitAnswer(
    for command: ScriptCommand, _ answer: @escaping (APIError?) -> Void
  ) {
    let call = client.send(HubRequest("GET", "hub"), .fail)
    let timer = panel.session.loop.timer(after: Self.patience) { [place] in
      call.cancel()
      answer(
        APIError(
          503, "hub", "the hub of \(place.commandFile) has not answered for \(Self.patience.text)"))
    }
    call.onEnd = { error in
      timer.cancel()
      answer(error.map { Self.refusal(of: command, $0) })
    }
  }

  private func restartNow(
    _ command: ScriptCommand, _ respond: @escaping (HTTPResponse) -> Void
  ) {
    let begin = WallClock.seconds
    var answer: [UInt8] = []
    let call = client.send(
      .restart(ServiceName(key(of: command)), from: .loaded(command.host.environment)), .fail)
    call.onLine = { answer += $0 }
    call.onEnd = { error in
      if let error { return respond(Self.refusal(of: command, error).response) }
      let said = JSONValue(text: String(decoding: answer, as: UTF8.self))
      guard let state = said?[field: "state"] else { return respond(.json(200, .object([]))) }
      let time = ((WallClock.seconds - begin) * 1e3).rounded() / 1e3
      var fields = [("state", state), ("duration", .number(max(0, time)))]
      if case .list(let restarted)? = said?[field: "restarted"],
        restarted.contains(where: { $0[field: "held"] != nil })
      {
        fields.append(("held", .bool(true)))
      }
      respond(.json(200, .object(fields)))
    }
  }

  private static func refusal(of command: ScriptCommand, _ error: HubError) -> APIError {
    let reason: HubError = if case .notRunning = error { .down(command.name) } else { error }
    return APIError(409, "service", reason.description)
  }

  /// The service that a command is without arguments, which pages show.
  private func key(of command: ScriptCommand) -> ServiceKey {
    ServiceKey(command, (try? command.input(from: [])) ?? .nil)
  }

  /// The last lines that a service has printed.
  func log(of command: ScriptCommand) -> HTTPResponse {
    let bytes = ServiceLog(place, key(of: command)).last(Self.lines)
    let text = Secrets.masked(String(decoding: bytes, as: UTF8.self))
    return .json(200, .object([("log", .string(text))]))
  }
}
