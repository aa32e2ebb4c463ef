import Platform
import EventLoop
import Journal
import RunnerCore
import Scripting

/// A journal on a server as the queue of a panel. On the loop's thread.
///
/// It reads in rounds: what waits, runs and works, then the events of all batches that have not ended,
/// up to the latest. A round begins when the server notifies it, and each second. Of the batches that
/// are there at the start it reads the latest output only, and of what has ended the latest executions.
package final class JournalQueue: SharedQueue {
  package var onChange: (SharedChange) -> Void = { _ in }
  package var onFailure: (any Error) -> Void = { _ in }

  let line: CommandLine
  let link: ServerLink
  let loop: EventLoop
  /// The executions that have not ended, by their numbers.
  private var active: [Int: SharedExecution] = [:]
  /// Those of which some events were not kept.
  private var incomplete: Set<Int> = []
  private var workers = ""
  private var keep = 0
  /// How far the output of a worker in a batch was read.
  private var places: [Place: Int] = [:]
  private var batches: [Int] = []
  /// The seconds by which the server's clock is ahead.
  private var lead = 0.0
  /// The server's times of the first and the latest snapshot.
  private var firstTime = 0.0
  private var latestTime = 0.0
  private var timer: Timer?
  private var pause: Timer?
  private var isAsking = false
  private var isDue = false
  private var isReady = false
  private var isClosed = false

  private struct Place: Hashable {
    let batch: Int
    let worker: Int
  }

  /// The time between two rounds at least.
  private static let pace = Duration.milliseconds(50)
  /// How many rows of output of each worker in a batch are read at the start.
  private static let backlog = 500
  /// The seconds by which what was committed may be older than what was seen.
  private static let margin = 5.0
  /// The executions whose output is read at once.
  private static let pageLength = 20

  /// Begins to connect.
  package init(_ address: ServerAddress, _ line: CommandLine, on loop: EventLoop) {
    self.line = line
    self.loop = loop
    link = ServerLink(address, on: loop)
    link.onFailure = { [weak self] in self?.fail($0) }
    link.onChange = { [weak self] in self?.onChange(.connection(problem: $0)) }
    link.onSilence = { [weak self] in self.map { $0.onChange(.notice($0.link.silence)) } }
  }

  package var name: String { link.address.name }

  package func start(keep: Int) {
    self.keep = keep
    link.listen(to: "raclette_work")
    link.onNotification = { [weak self] _, _ in self?.ask() }
    link.onPoll = { [weak self] in self?.ask() }
    timer = loop.timer(after: .seconds(1), every: .seconds(1)) { [weak self] in self?.ask() }
    timer?.unref()
    ask()
  }

  package func cancel(_ execution: Int) {
    link.send("SELECT raclette.cancel_entry($1)", [.integer(execution)]) { [weak self] answer in
      guard let self, !isClosed else { return }
      if case .failure(let error) = answer {
        onChange(.notice("#\(execution) cannot be cancelled: \(error)"))
      }
      ask()
    }
  }

  package func close() {
    isClosed = true
    timer?.cancel()
    pause?.cancel()
    link.close()
  }

  /// Notes an execution that was handed over here.
  func note(_ execution: SharedExecution) {
    guard active[execution.id] == nil else { return }
    active[execution.id] = execution
    onChange(.execution(execution))
    ask()
  }

  func fail(_ error: any Error) {
    guard !isClosed else { return }
    let report = onFailure
    close()
    report(error)
  }

  // MARK: Rounds

  /// Asks for what is new; while it asks, once more afterwards.
  private func ask() {
    guard !isAsking, pause == nil, !isClosed else {
      isDue = true
      return
    }
    isAsking = true
    isDue = false
    send(
      SQL.read_queue,
      [
        .integer(keep),
        latestTime == 0 ? .null : .number(max(firstTime, latestTime - Self.margin)),
        .integers(Array(active.keys)),
      ]
    ) { [unowned self] rows in
      lead = (rows.number(0, 0) ?? 0) - WallClock.seconds
      take(QueueSnapshot(rows, lead: lead))
    }
  }

  private func send(
    _ statement: String, _ parameters: [ServerValue], _ body: @escaping (ServerRows) -> Void
  ) {
    link.send(statement, parameters) { [weak self] answer in
      guard let self, !isClosed else { return }
      switch answer {
      case .success(let rows): body(rows)
      case .failure(let error): fail(error)
      }
    }
  }

  private func take(_ snapshot: QueueSnapshot) {
    latestTime = snapshot.time
    follow(snapshot.batches)
    guard firstTime == 0 else { return go(on: snapshot) }
    firstTime = snapshot.time
    readPast { [unowned self] in go(on: snapshot) }
  }

  /// Reads how the latest executions have ended, and finds the places from which output is read.
  private func readPast(_ body: @escaping () -> Void) {
    send(SQL.read_ended, [.integers([]), .integer(keep)]) { [unowned self] rows in
      let ended = (0..<rows.count).map { SharedExecution(ended: rows, $0, lead: lead) }
      for execution in ended { onChange(.execution(execution)) }
      readOutput(of: ended.map(\.id).reversed()[...])
      send(SQL.read_places, [.integers(batches), .integer(Self.backlog)]) { [unowned self] rows in
        for row in 0..<rows.count {
          places[Place(batch: rows.integer(row, 0), worker: rows.integer(row, 1))] =
            rows.integer(row, 2)
        }
        body()
      }
    }
  }

  private func go(on snapshot: QueueSnapshot) {
    let text = snapshot.workers.text
    if text != workers {
      workers = text
      onChange(.workers(snapshot.workers))
    }
    for execution in snapshot.executions { update(execution) }
    let seen = Set(snapshot.executions.map(\.id))
    readEvents { [unowned self] in
      // One whose events were lost, or that was left out of the snapshot.
      let missing = active.keys.filter { !seen.contains($0) }
      guard !missing.isEmpty else { return end() }
      send(SQL.read_ended, [.integers(missing), .integer(0)]) { [unowned self] rows in
        for row in 0..<rows.count { finish(SharedExecution(ended: rows, row, lead: lead)) }
        end()
      }
    }
  }

  /// Begins the next round after a while, if there is a reason.
  private func end() {
    isAsking = false
    if !isReady {
      isReady = true
      onChange(.ready)
    }
    pause = loop.timer(after: Self.pace) { [weak self] in
      guard let self else { return }
      pause = nil
      if isDue { ask() }
    }
    pause?.unref()
  }

  private func follow(_ current: [Int]) {
    for batch in current where !batches.contains(batch) {
      link.listen(to: "raclette_batch_\(batch)")
    }
    for batch in batches where !current.contains(batch) { link.ignore("raclette_batch_\(batch)") }
    batches = current
    let kept = Set(current)
    places = places.filter { kept.contains($0.key.batch) }
  }

  private func update(_ execution: SharedExecution) {
    guard let known = active[execution.id] else {
      active[execution.id] = execution
      return onChange(.execution(execution))
    }
    guard known.state != execution.state || known.worker != execution.worker else { return }
    var execution = execution
    execution.input = known.input
    active[execution.id] = execution
    onChange(.execution(execution))
  }

  private func finish(_ execution: SharedExecution) {
    guard active.removeValue(forKey: execution.id) != nil else { return }
    onChange(.execution(execution))
    // The record has the last lines.
    if incomplete.remove(execution.id) != nil { readOutput(of: [execution.id]) }
  }

  // MARK: Events

  private func readEvents(_ body: @escaping () -> Void) {
    guard !batches.isEmpty else { return body() }
    let known = places.sorted { $0.value < $1.value }
    send(
      SQL.read_output,
      [
        .integers(batches), .integers(known.map(\.key.batch)), .integers(known.map(\.key.worker)),
        .integers(known.map(\.value)),
      ]
    ) { [unowned self] rows in
      var events: [(batch: Int, event: EncodedEvent)] = []
      for row in 0..<rows.count {
        let batch = rows.integer(row, 0)
        places[Place(batch: batch, worker: rows.integer(row, 1))] = rows.integer(row, 2)
        events += (rows.text(row, 3) ?? "").split(separator: "\n")
          .compactMap { EncodedEvent($0) }.map { (batch, $0) }
      }
      guard rows.count > 0 else { return body() }
      take(events, body)
    }
  }

  /// Applies events, once it is known how those that end have ended.
  private func take(
    _ events: [(batch: Int, event: EncodedEvent)], _ body: @escaping () -> Void
  ) {
    let asked = Set(
      events.compactMap { _, event in
        event.entry.flatMap { event.isEnd || active[Int($0)] == nil ? Int($0) : nil }
      })
    send(SQL.read_ended, [.integers(asked.sorted()), .integer(0)]) { [unowned self] rows in
      var ended: [Int: SharedExecution] = [:]
      var past: Set<Int> = []
      for row in 0..<rows.count {
        let execution = SharedExecution(ended: rows, row, lead: lead)
        ended[execution.id] = execution
        let isPast = (execution.ended ?? 0) + lead <= firstTime
        if isPast, active[execution.id] == nil { past.insert(execution.id) }
      }
      for (batch, event) in events {
        guard let entry = event.entry.map({ Int($0) }), !past.contains(entry) else { continue }
        apply(event, entry, batch, ended[entry])
      }
      // A busy batch must not keep the rest from being seen.
      guard events.count > 1_000 else { return readEvents(body) }
      isDue = true
      end()
    }
  }

  private func apply(
    _ event: EncodedEvent, _ id: Int, _ batch: Int, _ ended: SharedExecution?
  ) {
    guard var execution = active[id] ?? begun(event, id, batch, ended) else { return }
    execution.worker = event.worker ?? execution.worker
    switch event.type {
    case "execution_started":
      execution.attempt = Int(event["attempt"]?.integer ?? 1)
      execution.started = execution.started ?? WallClock.seconds
      guard execution.state == .queued else { break }
      execution.state = .running
      onChange(.execution(execution))
    case "up_to_date": execution.isUpToDate = true
    case "retry":
      execution.attempt = Int(event["attempt"]?.integer ?? 2)
      // The server's own: it waits for another worker.
      if event.worker == nil { execution.state = .queued }
      onChange(.retry(execution, delay: event["delay"]?.seconds ?? 0, event.failure))
      if event.worker == nil { onChange(.execution(execution)) }
    case "next", "stderr", "step", "gap":
      if event.type == "gap" { incomplete.insert(id) }
      if let output = SharedOutput(event) { onChange(.output(id, output)) }
    default: break
    }
    active[id] = execution
    guard event.isEnd, var end = ended else { return }
    // An event tells more of an error than the record does.
    end.failure = end.failure.map { event.failure ?? $0 }
    end.isUpToDate = end.isUpToDate || execution.isUpToDate
    finish(end)
  }

  /// The execution of which an event is the first that is heard.
  private func begun(
    _ event: EncodedEvent, _ id: Int, _ batch: Int, _ ended: SharedExecution?
  ) -> SharedExecution? {
    guard !event.command.isEmpty else { return nil }
    let execution = SharedExecution(
      id: id, batch: batch, command: event.command, input: ended?.input ?? event["input"]?.text,
      created: ended?.created ?? WallClock.seconds, state: .queued)
    onChange(.execution(execution))
    return execution
  }

  // MARK: The output of what has ended

  /// Reads what is kept of the output of executions, some at a time.
  private func readOutput(of executions: ArraySlice<Int>) {
    guard !executions.isEmpty else { return }
    let page = executions.prefix(Self.pageLength)
    send(
      "SELECT entry, output FROM raclette.ended WHERE entry = ANY ($1::bigint[])",
      [.integers(Array(page))]
    ) { [unowned self] rows in
      for row in 0..<rows.count {
        for output in SharedOutput.kept(rows.binary(row, 1)) {
          onChange(.output(rows.integer(row, 0), output))
        }
      }
      readOutput(of: executions.dropFirst(page.count))
    }
  }
}
