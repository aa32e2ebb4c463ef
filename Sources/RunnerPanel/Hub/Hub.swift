import EventLoop
import Platform
import RunnerCore
import Scripting

/// The process that holds what outlives a terminal: the detached executions of one command file and one
/// user. On the loop's thread.
///
/// It is a panel without a page, behind a socket of the user's own, and ends by itself when it holds
/// nothing.
package final class Hub: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  let session: Session
  let panel: Panel
  let place: HubPlace
  let holder: HubHolder
  /// What waits for the ends of services.
  private var awaiting: [(ends: AwaitedEnds, body: () -> Void)] = []
  /// Requests that came after a change of the command file that was not loaded yet.
  var waiting: [Waiting] = []
  /// The variables with which the command file is loaded.
  let variables: HubVariables
  /// The definitions of services that clients had, and this had not, by names; those asked for last.
  var askedDefinitions: [String: String] = [:]
  /// The services that a killed predecessor held, while the command file does not load.
  var awaited: Set<HubInheritance.Held> = []
  /// The streams of clients that are there.
  var clients: [ObjectIdentifier: ServiceStream] = [:]
  /// The sessions of agents, by their names.
  var agents: [String: ServiceStream] = [:]
  private let record: HubRecord
  private let history: HubHistory
  /// The executions that are to be written into the history, once all that they have sent is recorded.
  private var ending: [PanelExecution] = []
  private let streams: HubStreams
  private let lock: HubLock
  private let life: HubLife?
  let started = WallClock.seconds
  private var server: HTTPServer?
  /// The executions that have ended, and whose end a client has been sent.
  private var seen: Set<Int> = []
  /// The executions of predecessors whose ends nobody has been sent.
  private var unread: Set<Int>
  /// True once a client of another version has found that the hub holds nothing.
  var isReplaced = false
  var isIdle = false
  /// Why it ends, or will after this turn; nil as long as it serves.
  private var reasonOfEnd: String?
  var isOver: Bool { reasonOfEnd != nil }
  /// True once it ends the connections of its clients itself.
  private(set) var isStopping = false
  /// The number of killed clients whose processes are being ended.
  var endingCount = 0

  /// How often a hub looks whether it holds anything; it ends at the second look at which it does not.
  private static let look = Duration.seconds(1)
  /// How soon it looks once a client waits for its end, whose connection has to end first.
  static let replacement = Duration.milliseconds(20)
  /// The time for which a result that nobody has read and a failed service are listed, in seconds.
  private static let keeping = HubInheritance.Result.keeping

  init(
    _ session: Session, _ panel: Panel, _ place: HubPlace, _ holder: HubHolder,
    _ variables: HubVariables, _ record: HubRecord, _ history: HubHistory, _ streams: HubStreams,
    _ lock: HubLock, _ life: HubLife?
  ) {
    unread = Set(record.results.map(\.number))
    self.session = session
    self.panel = panel
    self.place = place
    self.holder = holder
    self.variables = variables
    self.record = record
    self.history = history
    self.streams = streams
    self.lock = lock
    self.life = life
    panel.recordsPrinting = true
    session.loop.startsRecord = record.descriptor
    session.loop.mark = record.mark
    holder.add(session.host)
    panel.onHost = { [holder] host, isNew in isNew ? holder.add(host) : holder.remove(host) }
    holder.records.onChange = { [unowned self] in serviceMayHaveChanged() }
    holder.records.onStatus = { key, status in
      HubLog.note("\(key.text): \(status.textOfLog)")
    }
    panel.onReload = { [unowned self] in
      holdAwaited()
      answerWaiting()
    }
    panel.onExecution = { [unowned self] execution in
      if execution.isPast { return }
      if execution.state == .running, execution.request == nil, execution.held == nil {
        recordStarted()
      }
      if execution.isOver { noteEnd(of: execution) }
      let why = execution.failure.map { ": \($0.text)" } ?? ""
      HubLog.note(
        "execution \(execution.id) of \(execution.command): \(execution.state.rawValue)\(why)")
    }
    panel.onGroup = { [record] leader, isBegun in
      isBegun ? record.began(leader) : record.ended(leader)
    }
  }

  // MARK: Life

  /// Serves until nothing is held, or a signal ends the program. The lock of the place is held at the
  /// end.
  func serve(_ socket: ListeningSocket, _ news: [String]) throws {
    let door = HubDoor(self)
    let server = try HTTPServer(socket, session.loop, door)
    self.server = server
    let timer = session.loop.timer(at: EventLoop.nextSecond(), every: Self.look) { [unowned self] in
      look()
      // A successor would not find what runs here, and nobody could end it.
      if !socket.isThere { end(because: "its socket was removed") }
    }
    session.onInterrupt = { [unowned self] in cancelAll() }
    streams.ready(news)
    for line in news { HubLog.note(line) }
    lock.release()
    panel.run { [unowned self] in isOver }
    timer.cancel()
    HubLog.note("ends: \(reasonOfEnd ?? "a signal has come")")
    life?.noteEnd()
    if !isOver { lock.acquire() }
    answerWaiting()
    socket.remove()
    cancelAll()
    _ = holder.end(nil, because: "its hub has ended")
    holder.close()
    // Its clients are sent how their executions end.
    session.wait {
      holder.proceedWithEndings()
      return panel.executions.active.isEmpty && !holder.isEnding && endingCount == 0
    }
    writeHistory()
    (awaited, record.held, record.executions) = ([], [], [])
    record.noteEnd()
    panel.end()
    isStopping = true
    for stream in clients.values { stream.finishWithHub() }
    server.stop()
    withExtendedLifetime(door) {}
  }

  /// Cancels all executions: the hub ends.
  private func cancelAll() {
    for execution in panel.executions.active where execution.cancelledBy == nil {
      execution.cancelledBy = ExecutionRecord.endOfHub
    }
    panel.cancelAll()
  }

  /// Writes an execution that a client has asked for into the history, in the next turn: then all that it
  /// has sent is recorded.
  private func noteEnd(of execution: PanelExecution) {
    guard execution.request == nil, execution.held == nil else { return }
    if ending.isEmpty { session.loop.enqueue { [self] in writeHistory() } }
    ending.append(execution)
  }

  /// A client has been sent the end of an execution.
  func noteSeen(_ id: Int) {
    guard panel.executions[id]?.isOver == true, seen.insert(id).inserted else { return }
    recordHeld()
  }

  private func writeHistory() {
    for execution in ending { history.add(execution) }
    ending = []
    recordHeld()
  }

  func look() {
    streams.boundLog()
    recordHeld()
    if isFolderGone { return end(because: "its folder was removed") }
    guard holdsNothing, server.map({ $0.connectionCount <= watcherCount }) ?? false else {
      isIdle = false
      return
    }
    guard isIdle || isReplaced else {
      isIdle = true
      return
    }
    // Whoever starts a hub has the lock: it is about to find this one, and to call.
    if lock.acquireIfFree() { end(because: "it holds nothing") }
  }

  /// The number of connections that only tell what happens, and have told it: they go on with the next
  /// hub.
  private var watcherCount: Int {
    panel.feed.observerCount + clients.values.count { $0.isWatch }
  }

  private func end(because reason: String) { reasonOfEnd = reasonOfEnd ?? reason }

  /// True if the folder of the command file was removed: nobody comes to end what runs in it.
  private var isFolderGone: Bool {
    var information = stat()
    // A file system that does not answer for a while says nothing.
    guard stat(".", &information) == 0 else { return errno == ENOENT }
    return information.st_nlink == 0
  }

  /// True if nothing is lost when the hub ends.
  var holdsNothing: Bool {
    panel.executions.active.isEmpty && kept.isEmpty && awaited.isEmpty && !holder.isBusy
      && endingCount == 0
      && !holder.hasFailures(since: WallClock.milliseconds - Int64(Self.keeping * 1_000))
  }

  private var isChangeDue = false

  private func serviceMayHaveChanged() {
    guard !isChangeDue else { return }
    isChangeDue = true
    session.loop.enqueue { [self] in
      isChangeDue = false
      panel.workMayHaveEnded()
      holder.proceedWithEndings()
      let awaited = awaiting.map { ($0.ends.left(in: holder), $0.body) }
      awaiting = awaited.filter { ends, _ in !ends.isOver }
      for (ends, body) in awaited where ends.isOver { body() }
    }
  }

  /// Records what was started: its number, behind which a successor begins, and that it is lost if the
  /// hub is killed.
  func recordStarted() {
    record.note(number: panel.executions.lastID)
    recordHeld()
  }

  /// Calls `body` in a later turn, once services have ended.
  func after(_ ends: AwaitedEnds, _ body: @escaping () -> Void) {
    awaiting.append((ends, body))
    serviceMayHaveChanged()
  }

  /// The executions that have ended and that nobody has looked at since.
  var kept: [PanelExecution] {
    let now = WallClock.seconds
    return panel.executions.all.filter { execution in
      execution.request == nil && execution.isOver
        && (!execution.isPast || unread.contains(execution.id)) && !seen.contains(execution.id)
        && now - (execution.ended ?? now) < Self.keeping
    }
  }

  /// Records what is lost if the hub is killed.
  func recordHeld() {
    record.held = holder.held.union(awaited)
    record.executions = Set(
      panel.executions.active.filter { $0.request == nil && $0.held == nil }.map {
        HubInheritance.Execution($0.id, of: $0.command, input: $0.input)
      })
    record.results = Set(kept.map { HubInheritance.Result($0.id, ended: $0.ended ?? $0.created) })
  }
}
