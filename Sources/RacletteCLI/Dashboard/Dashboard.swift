import EventLoop
import LineEditor
import LuaRuntime
import Platform
import RunnerCore
import Scripting

/// The services of `up --ui` and the record of one of them, on the alternate screen of the terminal. On
/// the loop's thread.
///
/// It renders the same events of the run as a terminal without it, and reads what services print from
/// their records, as `logs` does. What the runner prints meanwhile is printed when the screen is
/// restored.
final class Dashboard: EventRenderer {
  private let session: Session
  private let services: [ServiceKey]
  private let place: HubPlace
  private var statuses: [ServiceKey: ServiceStatus] = [:]
  private var browser: Browser
  private var screen: AlternateScreen?
  private var decoder = KeyDecoder()
  private var log: ServiceLog
  private var watch: FolderWatch?
  private var clock: Timer?
  private var escape: Timer?
  private var isDue = true
  private(set) var hasLeft = false
  /// The failures of executions, which the list shows and which are told when the screen is restored.
  private(set) var failures: [Failure] = []

  let joinsStreams = true

  /// - Parameter services: at least one.
  /// - Throws: `UsageError` without a terminal.
  init(
    _ services: [ServiceKey], _ place: HubPlace, _ line: CommandLine, in session: Session
  ) throws(UsageError) {
    guard AlternateScreen.isPossible else {
      throw .input("--ui needs a terminal; without it, 'raclette up' prints lines")
    }
    self.session = session
    self.services = services
    self.place = place
    let style = RunnerCore.Style(option: line[.color], descriptor: STDOUT_FILENO)
    browser = Browser([], theme: style.isColored ? .standard : .monochrome)
    log = ServiceLog(place, services[0])
  }

  // MARK: Events

  func render(_ event: RunEvent) {
    switch event {
    case .service(let command, let input, let status, _):
      statuses[ServiceKey(command, input)] = status
      isDue = true
    case .failed(_, let failure), .unhandled(let failure): failures.append(failure)
    default: break
    }
  }

  // MARK: The screen

  /// Shows the services until `isOver`, or until the user leaves.
  func show(until isOver: @escaping () -> Bool) throws {
    let screen = try AlternateScreen(session) { [unowned self] in keys($0) }
    self.screen = screen
    screen.onChange = { [unowned self] in
      screen.write(browser.clear())
      isDue = true
    }
    // For the times that the list shows.
    clock = session.loop.timer(after: .seconds(1), every: .seconds(1)) { [unowned self] in
      isDue = true
    }
    clock?.unref()
    defer {
      clock?.cancel()
      escape?.cancel()
      watch?.cancel()
      screen.leave()
    }
    read()
    session.wait { [unowned self] in
      if isDue { draw() }
      return hasLeft || isOver() || session.isEnding
    }
  }

  private func draw() {
    isDue = false
    followRecords()
    browser.items = services.map(item)
    guard let screen else { return }
    let size = screen.size
    screen.write(browser.draw(columns: size.columns, rows: size.rows))
  }

  private func item(_ service: ServiceKey) -> Browser.Item {
    let title = service.text.visibleInLine
    guard let status = statuses[service] else {
      return Browser.Item(title: title, detail: "waiting", style: .detail)
    }
    let age = Duration.milliseconds(max(0, WallClock.milliseconds - status.since))
    var parts = [padded(status.state.rawValue, to: 10), padded(age.shortText, to: 6)]
    if let pid = status.pid { parts.append("pid \(pid)") }
    if status.users > 0 { parts.append(status.users == 1 ? "1 user" : "\(status.users) users") }
    if status.restarts > 0 { parts.append("restarts \(status.restarts)") }
    let remark = status.failure ?? (status.state == .ready ? nil : status.probe)
    if let remark { parts.append(Secrets.masked(remark)) }
    let style: LineEditor.Style =
      switch status.state {
      case .ready: .string
      case .failed, .unready: .error
      case .starting, .restarting: .number
      case .ending, .down: .detail
      }
    return Browser.Item(
      title: title, detail: parts.joined(separator: "  ").visibleInLine,
      style: style)
  }

  // MARK: Keys

  private func keys(_ chunk: [UInt8]) {
    decoder.feed(chunk)
    escape?.cancel()
    escape = nil
    handle(escapeIsKey: false)
    guard decoder.hasPendingEscape else { return }
    // An Escape that nothing follows soon is the key.
    escape = session.loop.timer(after: .milliseconds(50)) { [unowned self] in
      handle(escapeIsKey: true)
    }
  }

  private func handle(escapeIsKey: Bool) {
    while let event = decoder.next(escapeIsKey: escapeIsKey) {
      isDue = true
      switch browser.handle(event) {
      case .done: continue
      case .selected: read()
      case .left: hasLeft = true
      }
    }
  }

  // MARK: Records

  /// Reads the record of the selected service.
  private func read() {
    log = ServiceLog(place, services[browser.selected])
    browser.setText(Self.text(log.last(10_000)))
  }

  /// Follows the folder of the records, which the hub makes when it starts.
  private func followRecords() {
    guard watch == nil else { return }
    let folder = CommandFile.split(place.outputs).directory
    watch = try? session.loop.watchFolder(folder) { [unowned self] in
      let more = Self.text(log.more())
      guard !more.isEmpty else { return }
      browser.append(more)
      isDue = true
    }
    if watch != nil { browser.append(Self.text(log.more())) }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    Secrets.masked(String(exactly: bytes)).repaired
  }
}
