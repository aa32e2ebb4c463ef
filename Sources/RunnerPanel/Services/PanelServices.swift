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
  private let place: HubPlace
  private let client: HubClient
  private var watching = CompoundDisposable()
  private var folderWatch: FolderWatch?
  private var watchedFolder = ""
  /// The socket of the hub that is asked.
  private var socket: UInt64?

  /// The lines of a log that a page is sent.
  private static let lines = 200

  /// - Throws: `CommandFileError` if the command file is gone.
  init(_ panel: Panel) throws {
    self.panel = panel
    place = try HubPlace(CommandFile.split(panel.file).name)
    client = HubClient(place, on: panel.session.loop, panel.session.report)
  }

  deinit { end() }

  /// Reports the states of the services of the present commands.
  func begin() {
    socket = place.servedSocket(after: nil)
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
    watchFolder()
  }

  func end() {
    watching.dispose()
    folderWatch?.cancel()
    folderWatch = nil
  }

  private func note(_ status: ServiceStatus, of name: String) {
    var status = status
    status.lines = []
    guard states[name] != status else { return }
    states[name] = status
    panel.metrics.note(status, of: name)
    panel.stateMayHaveChanged(name)
  }

  // MARK: The hub

  /// Notices a hub that another process starts.
  private func watchFolder() {
    let own = CommandFile.split(place.socket).directory
    let folder = access(own, F_OK) == 0 ? own : CommandFile.split(place.commandFile).directory
    guard folder != watchedFolder else { return }
    folderWatch?.cancel()
    watchedFolder = folder
    folderWatch = try? panel.session.loop.watchFolder(folder) { [weak self] in
      guard let self else { return }
      watchFolder()
      if place.servedSocket(after: socket) != nil { begin() }
    }
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
    let path = "services/\(PercentEncoding.encoded(command.name))/restart"
    let call = client.send(HubRequest("POST", path), .fail)
    call.onLine = { answer += $0 }
    call.onEnd = { error in
      if let error { return respond(Self.refusal(of: command, error).response) }
      let said = JSONValue(text: String(decoding: answer, as: UTF8.self))
      guard case .object(let fields)? = said else { return respond(.json(200, .object([]))) }
      let time = ((WallClock.seconds - begin) * 1e3).rounded() / 1e3
      respond(.json(200, .object(fields + [("duration", .number(max(0, time)))])))
    }
  }

  private static func refusal(of command: ScriptCommand, _ error: HubError) -> APIError {
    let reason: HubError = if case .notRunning = error { .down(command.name) } else { error }
    return APIError(409, "service", reason.description)
  }

  /// The last lines that a service has printed.
  func log(of command: ScriptCommand) -> HTTPResponse {
    let bytes = ServiceLog(place, command.name).last(Self.lines)
    let text = Secrets.masked(String(decoding: bytes, as: UTF8.self))
    return .json(200, .object([("log", .string(text))]))
  }
}

extension HubPlace {
  /// What distinguishes the socket of the hub that listens from that of its successor; nil if none
  /// does, or not yet: the files that it writes then change the folder again.
  ///
  /// - Parameter known: the socket that is not looked for.
  fileprivate func servedSocket(after known: UInt64?) -> UInt64? {
    var information = stat()
    guard lstat(socket, &information) == 0, UInt64(information.st_ino) != known else { return nil }
    let descriptor = LocalSocket.connect(to: socket)
    guard descriptor >= 0 else { return nil }
    close(descriptor)
    return UInt64(information.st_ino)
  }
}
