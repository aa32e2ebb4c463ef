import Commands
import EventLoop
import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// The commands of a session as a page and an API. On the loop's thread.
package final class Panel: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  let session: Session
  /// The command file, by the name that messages use.
  let file: String
  let isReadOnly: Bool
  let feed: EventFeed
  var executions: ExecutionList
  /// What became of the latest executions of each command.
  var results = CommandResults()
  /// The interpreter whose commands are shown.
  private(set) lazy var workspace = PanelWorkspace(session.host, self)
  /// Those before it, whose executions have not ended.
  private var leaving: [PanelWorkspace] = []
  /// The executions of a shared queue, if presses go there; nil if they are executed here.
  private(set) var board: SharedBoard?
  /// The states of services, if pages show them: a hub has them itself.
  private(set) var services: PanelServices?
  /// What the hub executes, if pages show that.
  private(set) var hub: HubBoard?
  private(set) lazy var controls = ControlTable(self)
  /// Records executions, if they are kept beyond the panel.
  var recorder: PressRecorder?
  /// Knows what was recorded before.
  var queries: JournalQueries?
  /// What it has counted.
  var metrics = PanelMetrics()
  /// What agents do with the commands.
  private(set) lazy var tools = PanelTools(self)
  /// The problem of the command file as it is now, while it does not load.
  var loadProblem: String?
  /// Prints events and output as JSON, if that is wanted.
  private var printer: PanelPrinter?
  private let errorOutput = ErrorOutput()
  /// True if what functions of commands print is part of the output of their executions; else it is
  /// printed by this process.
  var recordsPrinting = false { didSet { workspace.recordPrinting() } }
  /// True if the command file is to be loaded now, although nothing has reported its change yet.
  var isReloadWanted = false
  /// Called when the command file as it is now was loaded, or does not load.
  var onReload: () -> Void = {}
  /// Called with each interpreter that takes the place of another (true), and with each that is closed.
  var onHost: (ScriptHost, Bool) -> Void = { _, _ in }
  /// Called with each execution that was requested here, when it begins to run and when it has ended.
  var onExecution: (PanelExecution) -> Void = { _ in }
  /// Called with the leader of each process group that begins (true) or has ended (false).
  var onGroup: (Int32, Bool) -> Void = { _, _ in }
  /// The commands whose state is compared in the next turn.
  private var changedStates: Set<String> = []
  private var states: [String: CommandState] = [:]

  /// - Parameter queue: where presses go; nil to execute them here.
  init(
    _ session: Session, file: String, _ options: PanelOptions, queue: (any SharedQueue)?,
    isPrinted: Bool
  ) throws {
    self.session = session
    self.file = file
    isReadOnly = options.isReadOnly
    executions = ExecutionList(keep: options.keep)
    feed = try EventFeed(session.loop)
    if isPrinted {
      let printer = PanelPrinter(feed, session.loop) { [output = session.output] in
        // On another thread the signal of a broken pipe does not arrive.
        if $0 == EPIPE { raise(SIGPIPE) } else { output.stop($0) }
      }
      self.printer = printer
      feed.onEvent = { [unowned printer] in printer.eventHasCome() }
    }
    errorOutput.begin()
    feed.onReaderEnd = { [unowned self] in readerEnded($0) }
    if let queue { board = SharedBoard(queue, self) }
    controls.bind(session.host.commands)
  }

  /// Shows what the hub of the command file runs: the states of services, and executions.
  ///
  /// - Throws: `CommandFileError` if the command file is gone.
  func showHub() throws {
    let client = HubClient(try HubPlace(ofLoaded: file), on: session.loop, session.report)
    services = PanelServices(self, client)
    services?.begin()
    hub = HubBoard(self, client)
    hub?.begin()
  }

  /// The commands that are shown.
  var commands: [ScriptCommand] { workspace.host.commands }

  /// Sends an event of an execution, or holds it back with those of its request. Nobody has seen the
  /// executions that a queue reports before it is ready.
  func send(_ type: String, _ fields: [EventJSON.Field], of execution: PanelExecution) {
    guard board?.isReady != false else { return }
    let request = execution.request ?? execution
    if request.held != nil {
      request.held?.append((type, fields, execution.id))
    } else {
      feed.send(type, fields, execution: execution.id)
      recorder?.update(execution)
    }
  }

  /// A new execution.
  func newExecution(
    of command: String, input: String?, for request: PanelExecution?
  ) -> PanelExecution {
    let execution = PanelExecution(takeNumber(), of: command, input: input, for: request)
    executions.add(execution)
    if request != nil { feed.begins(execution) }
    return execution
  }

  /// The number of the next execution.
  func takeNumber() -> Int { recorder?.takeNumber() ?? executions.takeNumber() }

  /// Sends the events of a request and of what it needs that were held back.
  func release(_ request: PanelExecution) {
    guard let held = request.held else { return }
    request.held = nil
    for (type, fields, execution) in held {
      feed.send(type, fields, execution: execution)
      if let execution = executions[execution] { recorder?.update(execution) }
    }
    // It may have ended before it was accepted.
    if request.isOver { onExecution(request) }
  }

  /// How long a page whose stream has ended may come back.
  private static let absence = Duration.seconds(30)

  private func readerEnded(_ pages: [String]) {
    guard !pages.isEmpty, !session.isEnding else { return }
    let timer = session.loop.timer(after: Self.absence) { [weak self] in
      guard let self else { return }
      for page in pages where !feed.hasPage(page) { controls.removeRefreshers(of: page) }
    }
    timer.unref()
  }

  /// Tells the user the address of the page. It holds the token, so that no reader gets it.
  func show(address: String) throws {
    // A secret such as `1` must not make it another one.
    guard let printer else { return try Terminal.output(masked: "\(address)\n") }
    printer.print(
      head: EventJSON.text(
        feed.takeNumbers(1), "panel", [("address", JSONValue.string(address).text)]))
  }

  func printOutput(of execution: PanelExecution, _ count: Int) {
    printer?.outputHasCome(to: execution, count)
  }

  /// Notes the end of an execution, whose output is kept as long as those of later ones allow.
  func noteEnd(of execution: PanelExecution) {
    for dropped in executions.noteEnd(of: execution) { printer?.forget(dropped) }
  }

  // MARK: States of commands

  /// Compares the state of a command in the next turn, when everything that changes together has
  /// changed, and sends an event if it is another one.
  func stateMayHaveChanged(_ name: String) {
    if changedStates.isEmpty {
      session.loop.enqueue { [weak self] in self?.compareStates() }
    }
    changedStates.insert(name)
  }

  private func compareStates() {
    let names = changedStates
    changedStates = []
    for command in commands where names.contains(command.name) && !command.isPrivate {
      let state = state(of: command)
      guard states.updateValue(state, forKey: command.name) != state else { continue }
      tools.stateHasChanged(of: command.name)
      feed.send(
        "enabled", [("command", JSONValue.string(command.name).text)] + state.event)
    }
  }

  /// The state of a command now.
  func state(of command: ScriptCommand) -> CommandState {
    if board != nil {
      return CommandState(
        command, shared: executions.active.filter { $0.command == command.name })
    }
    let ending = executions.own.count {
      $0.command == command.name && $0.state == .cancelling
    }
    var state = CommandState(
      command, ending: ending, earlier: earlierExecutions(of: command.name))
    state.service = services?.states[command.name]
    return state
  }

  /// The executions of a command by command files that were replaced, while they have not ended.
  func earlierExecutions(of command: String) -> [PanelExecution] {
    leaving.flatMap { $0.activeExecutions(of: command) }
  }

  // MARK: Reloading

  /// The time in which a changed command file has to load.
  private static let loadTime = Duration.seconds(60)

  /// Replaces the commands by those of the changed file, if it loads. Outside the running loop.
  ///
  /// - Parameter isOutdated: true once the file has changed again, which ends the load.
  func reload(unless isOutdated: @escaping () -> Bool) throws {
    let before = faces
    let name = CommandFile.split(file).name
    var fresh: PanelWorkspace?
    let outcome = try session.loadBeside(
      name, named: file, within: Self.loadTime, unless: isOutdated
    ) { [self] in fresh = PanelWorkspace($0, self) }
    switch outcome {
    case .loaded: break
    case .failed(let failure): return tell(failure)
    case .abandoned: return
    }
    guard let fresh else { return }
    loadProblem = nil
    succeed(by: fresh)
    states = [:]
    controls.bind(commands)
    results.keep(only: Set(commands.map(\.name)))
    metrics.keepServices(Set(commands.filter(\.isService).map(\.name)))
    workMayHaveEnded()
    services?.begin()
    tellChanges(before, faces)
  }

  /// Tells why the changed command file does not load.
  private func tell(_ failure: Failure) {
    loadProblem = failure.message
    session.report.error(failure.message)
    feed.send("reloaded", [("error", EventJSON.text(of: failure))])
  }

  /// Shows the commands of another interpreter. Executions of the earlier commands count against the
  /// limits of those with the same names.
  private func succeed(by fresh: PanelWorkspace) {
    leaving.append(workspace)
    workspace = fresh
    onHost(fresh.host, true)
    for command in commands {
      let earlier = leaving.reversed().lazy.compactMap { workspace in
        workspace.host.commands.first { $0.name == command.name }
      }
      if let predecessor = earlier.first { command.succeed(predecessor) }
    }
  }

  /// What pages show of each command besides its state.
  private var faces: [(name: String, text: String)] {
    commands.filter { !$0.isPrivate }.map { ($0.name, JSONValue.object($0.panelFields).text) }
  }

  private func tellChanges(
    _ before: [(name: String, text: String)], _ after: [(name: String, text: String)]
  ) {
    let old = Dictionary(before.map { ($0.name, $0.text) }) { first, _ in first }
    let new = Dictionary(after.map { ($0.name, $0.text) }) { first, _ in first }
    let list = { (names: [String]) in JSONValue.list(names.map { .string($0) }).text }
    let added = after.map(\.name).filter { old[$0] == nil }
    let removed = before.map(\.name).filter { new[$0] == nil }
    let changed = after.map(\.name).filter { old[$0] != nil && old[$0] != new[$0] }
    feed.send(
      "reloaded",
      [("added", list(added)), ("removed", list(removed)), ("changed", list(changed))])
    tools.onListChange()
    session.report.say("\(file) was reloaded")
  }

  /// Closes interpreters that were replaced, in the next turn, once their work has ended.
  func workMayHaveEnded() {
    guard !leaving.isEmpty else { return }
    session.loop.enqueue { [weak self] in
      guard let self else { return }
      let idle = leaving.filter { !$0.isBusy }
      leaving.removeAll { workspace in idle.contains { $0 === workspace } }
      for workspace in idle {
        onHost(workspace.host, false)
        session.retire(workspace.host)
      }
    }
  }

  /// Confirms a call whose question a press has answered with yes.
  func confirm(_ call: Plan.Call) throws(Failure) {
    guard !([workspace] + leaving).contains(where: { $0.confirms(call) }) else { return }
    try Self.refuse(call)
  }

  /// Refuses a call: no page has asked.
  static func refuse(_ call: Plan.Call) throws(Failure) {
    let question = try call.question() ?? ""
    throw Failure(
      .input, "it asks \"\(question)\", which only its own button can answer with yes")
  }

  // MARK: The end

  /// Cancels all work.
  func cancelAll() {
    workspace.cancelAll()
    for workspace in leaving { workspace.cancelAll() }
  }

  /// Tells readers of the end.
  func end() {
    cancelAll()
    services?.end()
    hub?.end()
    board?.close()
    feed.send("ending", [])
    printer?.finish()
    feed.close()
    queries?.close()
    recorder?.finish()
  }

  /// Writes the messages that wait, and from now on each at once.
  func finishMessages() { errorOutput.finish() }
}
