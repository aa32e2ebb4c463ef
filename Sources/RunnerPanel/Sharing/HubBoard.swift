import Platform
import RunnerCore
import Scripting

/// What the hub of the command file executes, as a panel shows it: detached executions, and those of
/// agents. No hub is started for this. On the loop's thread.
final class HubBoard: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private unowned let panel: Panel
  private let client: HubClient
  private let next: NextHub
  private var stream: HubStream?
  /// What the present hub executes, by its numbers.
  private var entries: [Int: PanelExecution] = [:]
  /// The numbers of what it has executed, which is shown once.
  private var ended: Set<Int> = []

  init(_ panel: Panel, _ client: HubClient) {
    self.panel = panel
    self.client = client
    next = NextHub(client.place, on: panel.session.loop)
  }

  /// Shows what has not ended, and from now on everything.
  func begin() {
    let stream = HubStream(client, HubRequest("GET", "executions/events"), .fail) {
      [unowned self] in take($0)
    }
    stream.onIdle = { [next, unowned stream] in next.keep(stream) }
    stream.onRefusal = { [next, unowned stream] in next.keepForAnother(stream) }
    self.stream = stream
    stream.send()
  }

  func end() {
    stream?.end()
    next.dropEnded()
  }

  /// Asks the hub to cancel an execution. Its events tell of the effect, and who was the first to ask.
  func cancel(_ number: Int, by canceller: Requester) {
    var request = HubRequest("DELETE", "executions/\(number)")
    request.requester = canceller.rawValue
    let call = client.send(request, .fail)
    call.onEnd = { [panel] error in
      withExtendedLifetime(call) {}
      switch error {
      // It has ended meanwhile, or its hub.
      case nil, .notRunning?, .refused?: break
      case let error?: panel.session.report.error(error.description)
      }
    }
  }

  // MARK: News

  private func take(_ event: HubStream.Event) {
    // What the next hub executes before it is asked is shown, too.
    defer { stream?.request.path = "executions/events?ended=1" }
    switch event {
    case .line(let json): take(json)
    // Its successor knows what became of its executions.
    case .lost: break
    case .ended, .absent: lose(because: "its hub has ended")
    case .failed(let error): lose(because: error.description)
    }
  }

  private func lose(because reason: String) {
    for entry in entries.values { lose(entry, because: reason) }
    (entries, ended) = ([:], [])
  }

  private func lose(_ entry: PanelExecution, because reason: String) {
    end(entry, .failed, Failure(.lost, "it was lost: \(reason)"))
  }

  private func take(_ json: JSONValue) {
    guard let event = EncodedEvent(ofHub: json) else { return }
    switch event.type {
    case "executions":
      guard case .list(let executions)? = event["executions"] else { return }
      let there = Set(executions.compactMap { $0[field: "id"]?.integer.map { Int($0) } })
      for (number, entry) in entries where !there.contains(number) {
        lose(entry, because: "its hub has ended")
      }
      for execution in executions { begin(execution) }
    case "execution":
      guard let execution = event["execution"] else { return }
      if begin(execution) == nil { end(execution) }
    default:
      guard let number = event.entry, let entry = entries[Int(number)] else { return }
      take(event, of: entry)
    }
  }

  /// Shows an execution of the hub that is not shown yet.
  ///
  /// - Returns: nil if it is shown already.
  @discardableResult
  private func begin(_ json: JSONValue) -> PanelExecution? {
    guard let number = json[field: "id"]?.integer.map({ Int($0) }), entries[number] == nil,
      !ended.contains(number), let command = json[field: "command"]?.string
    else { return nil }
    let entry = PanelExecution(
      panel.takeNumber(), of: command,
      input: json[field: "input"].map { Secrets.masked(json: $0.text) },
      for: json[field: "for"]?.integer.flatMap { entries[Int($0)] },
      created: json[field: "created"]?.seconds ?? WallClock.seconds)
    entry.hub = number
    entry.by = json[field: "by"]?.string.flatMap(Requester.init(rawValue:))
    entry.attempt = json[field: "attempt"]?.integer.map { Int($0) } ?? 1
    entry.started = json[field: "started"]?.seconds
    entry.cancelledBy = json[field: "cancelled_by"]?.string
    entries[number] = entry
    panel.executions.add(entry)
    if entry.request != nil { panel.feed.begins(entry) }
    switch json[field: "state"]?.string.flatMap(PanelExecution.State.init(rawValue:)) {
    case .queued: panel.note(entry, .queued)
    case .running: panel.note(entry, .running)
    case .cancelling: panel.noteCancelling(entry)
    // Its output comes before its end.
    case .completed, .failed, .cancelled:
      panel.note(entry, entry.started == nil ? .queued : .running)
    case .waiting, nil: panel.send("execution_waiting", entry.origin, of: entry)
    }
    return entry
  }

  /// Ends an execution of which the hub has told that it had ended.
  private func end(_ json: JSONValue) {
    guard let number = json[field: "id"]?.integer, let entry = entries[Int(number)],
      let state = json[field: "state"]?.string.flatMap(PanelExecution.State.init(rawValue:)),
      state.isEnded
    else { return }
    entry.started = entry.started ?? json[field: "started"]?.seconds
    entry.cancelledBy = json[field: "cancelled_by"]?.string
    if json[field: "up_to_date"]?.bool == true, !entry.isUpToDate {
      panel.noteUpToDate(entry, saving: json[field: "saved"]?.seconds.map { .seconds($0) })
    }
    end(
      entry, state, json[field: "error"].map { Failure($0) },
      at: json[field: "ended"]?.seconds ?? WallClock.seconds)
  }

  private func end(
    _ entry: PanelExecution, _ state: PanelExecution.State, _ failure: Failure?,
    at time: Double = WallClock.seconds
  ) {
    guard !entry.isOver else { return }
    if let number = entry.hub {
      entries[number] = nil
      ended.insert(number)
    }
    entry.output.finish()
    entry.begun.end()
    panel.noteEnd(of: entry, as: state, failure, at: time)
  }

  // MARK: Events

  private func take(_ event: EncodedEvent, of entry: PanelExecution) {
    guard !entry.isOver else { return }
    let time = event["ts"]?.seconds ?? WallClock.seconds
    entry.cancelledBy = event["cancelled_by"]?.string ?? entry.cancelledBy
    switch event.type {
    case "execution_queued":
      if entry.state == .waiting { panel.note(entry, .queued) }
    case "execution_started":
      entry.started = entry.started ?? time
      if [.waiting, .queued].contains(entry.state) { panel.note(entry, .running) }
    case "up_to_date":
      if !entry.isUpToDate {
        panel.noteUpToDate(entry, saving: event["saved"]?.seconds.map { .seconds($0) })
      }
    case "retry":
      panel.noteRetry(
        entry, attempt: Int(event["attempt"]?.integer ?? 2), delay: event["delay"]?.text ?? "0",
        cause: event.failure)
    case "cancelling": panel.noteCancelling(entry)
    case "joined": join(entry, into: event["into"]?.integer.flatMap { entries[Int($0)] })
    case "completed": end(entry, .completed, nil, at: time)
    case "cancelled": end(entry, .cancelled, event.failure, at: time)
    case "error": end(entry, .failed, event.failure, at: time)
    case "unfinished": show(event, of: entry)
    case "lost":
      if entry.output.count == 0, let first = event["n"]?.integer,
        let missed = event["missed"]?.integer
      {
        entry.output.lose(first: Int(first + missed), bytes: 0)
      }
    default: append(event, to: entry)
    }
  }

  /// A request has become part of another execution.
  private func join(_ entry: PanelExecution, into other: PanelExecution?) {
    guard let other else { return }
    panel.send("joined", entry.identity + [("into", "\(other.id)")], of: entry)
    panel.executions.remove(entry)
    if let number = entry.hub {
      entries[number] = nil
      ended.insert(number)
    }
  }

  private func show(_ event: EncodedEvent, of entry: PanelExecution) {
    let isError = event["stderr"]?.bool == true
    entry.begun.show(event["value"]?.string?.exactBytes ?? [], of: isError ? .errors : .values)
    panel.lineHasBegun(of: entry)
  }

  private func append(_ event: EncodedEvent, to entry: PanelExecution) {
    // After a gap, some of it may come again.
    guard let number = event["n"]?.integer, number >= entry.output.count,
      let output = SharedOutput(event)
    else { return }
    entry.begun.end(event.type == "stderr" ? .errors : .values)
    panel.append(output, to: entry)
  }
}
