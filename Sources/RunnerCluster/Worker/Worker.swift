import EventLoop
import Platform
import RunnerCore
import Scripting

/// Executes entries of batches on a server: claims them for its free jobs, hands each to the executor
/// of its batch, and records what comes back. Result, output and the next claim are one statement.
///
/// ```
/// raclette.finish ──▶ HeldEntry ──▶ ExecutorProcess of its batch
///        ▲                                 │
///        └───────────── Outbox ◀───────────┘
/// ```
///
/// On the loop's thread.
package final class Worker {
  let options: WorkerOptions
  let loop: EventLoop
  let link: ServerLink
  let report: Report
  let leftovers: Leftovers
  /// What the executors of all batches share.
  let resources: ResourceBudget
  lazy var bundles = BundleCache(link) { [unowned self] in session }
  /// The secret by which the server knows the worker; a new one after each lost lease.
  var session = UniqueID.text()
  var lease: Lease
  var held: [Int: HeldEntry] = [:]
  /// The same by the numbers of their entries.
  var byNumber: [Int: HeldEntry] = [:]
  var batches: [Int: WorkerBatch] = [:]
  var outbox = Outbox()
  /// The tokens of the ends that are under way to the server.
  var sent: [Int] = []
  var pace: ClaimPace
  /// True if there may be something to claim.
  var hasNews = true
  /// How often readers are woken: each commit that notifies waits for all others that do.
  var tellPace = Pace(burst: 5, perSecond: Worker.tellsPerSecond)
  /// How often steps are taken while the worker has enough to do: ends are recorded together.
  var stepPace = Pace(burst: 4, perSecond: 40)
  /// True while a step waits for its answer.
  var isStepping = false
  /// True if a step follows in this turn of the loop.
  var isStepDue = false
  var isDraining = false
  private(set) var isOver = false
  /// True once the server knows that it has gone.
  private var hasLeft = false
  private var isBeating = false
  private var hasSaidName = false
  private var timers: [Timer] = []
  private var stepTimer: Timer?
  private var stepDue: Duration?
  private(set) var failure: ServerError?

  package init(
    _ options: WorkerOptions, _ address: ServerAddress, on loop: EventLoop, _ report: Report
  ) {
    self.options = options
    self.loop = loop
    self.report = report
    resources = ResourceBudget(options.resources)
    lease = Lease(length: options.lease)
    leftovers = Leftovers(on: loop, limit: options.lease, report)
    pace = ClaimPace(jobs: options.jobs)
    link = ServerLink(address, on: loop)
    link.onFailure = { [unowned self] error in
      failure = error
      isOver = true
      stopTimers()
      loop.stop()
    }
    link.report(to: report)
    link.onConnect = { [unowned self] in beat(isFirst: true) }
    link.onNotification = { [unowned self] channel, payload in
      if payload == "cancel" { beat() }
      if payload == "need" { askAgain() }
      hasNews = true
      step()
    }
    link.onPoll = { [unowned self] in
      if !held.isEmpty { beat() }
      askAgain()
      hasNews = true
      step()
    }
    link.listen(to: "raclette_work")
    timers = [
      loop.timer(after: lease.period, every: lease.period) { [unowned self] in beat() },
      loop.timer(after: lease.length / 20, every: lease.length / 20) { [unowned self] in
        checkLease()
      },
      loop.timer(after: .seconds(1), every: .seconds(1)) { [unowned self] in
        hasNews = true
        tidy()
        askAgain()
        step()
      },
      loop.timer(after: .milliseconds(250), every: .milliseconds(250)) { [unowned self] in
        recallStuck()
      },
    ]
  }

  /// Runs until the worker has ended.
  ///
  /// - Throws: `ServerError` if the server cannot be used at all.
  package func run() throws(ServerError) {
    if !isOver { loop.run() }
    if let failure { throw failure }
  }

  /// Removes the folders of its executors, which have ended.
  func removeFolders() { bundles.workFolders.remove() }

  // MARK: Lease

  /// Renews the lease, or begins it.
  ///
  /// - Parameter isFirst: true for the first statement of a connection: claims whose answer was lost
  ///   with the one before go back.
  func beat(isFirst: Bool = false) {
    guard !isOver, isFirst || (!isBeating && link.isUp) else { return }
    checkLease()
    isBeating = true
    let asked = BootClock.now
    let isNew = !lease.isHeld
    let (session, wasDraining) = (session, isDraining)
    let known = Array(held.keys) + outbox.ends.map(\.token) + sent
    link.send(
      "SELECT * FROM raclette.beat($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
      [
        .text(session), .boolean(isNew), .text(options.name), .text(ScriptHost.version),
        .texts(options.tags + (options.key.map { [$0.tag] } ?? [])), .integer(options.jobs),
        .boolean(wasDraining),
        options.batch.map { .integer(Int($0)) } ?? .null, .number(lease.length / .seconds(1)),
        isFirst || isNew ? .integers(known) : .null, .text(options.resources.json.text),
      ],
      // What it knows of now is not what it holds when there is another connection.
      endsWithConnection: true
    ) { [unowned self] answer in
      isBeating = false
      guard session == self.session else { return }
      switch answer {
      // The next one may be in time for the lease.
      case .failure(let error) where error.isCancellation: break
      case .failure(let error): fail(error)
      case .success(let rows): renewed(rows, askedAt: asked, isNew: isNew)
      }
      // Whoever looks at the workers learns at once that this one takes nothing more.
      if isDraining != wasDraining { beat() }
    }
    // A statement of a connection that is lost gets no answer.
    if isFirst { isBeating = false }
  }

  private func renewed(_ rows: ServerRows, askedAt time: Duration, isNew: Bool) {
    guard rows.isTrue(0, 0) else {
      loseLease()
      session = UniqueID.text()
      return beat()
    }
    if !lease.isHeld {
      // The answer may have been cut off as long as a lease lasts, or belong to the lease that was lost:
      // what that covered has to go back first.
      guard isNew, !lease.isOver(askedAt: time) else { return beat() }
      hasNews = true
    }
    lease.renew(askedAt: time)
    let workers = max(1, rows.integer(0, 2))
    tellPace.perSecond = max(Self.leastTellsPerSecond, Self.tellsPerSecond / Double(workers))
    link.pollInterval = min(max(Self.pollInterval * workers, .milliseconds(100)), .seconds(1))
    for batch in batches.values { batch.executor?.renew(until: lease.deadline) }
    if !hasSaidName {
      hasSaidName = true
      let tags = options.tags.isEmpty ? "" : ", tags \(options.tags.joined(separator: ", "))"
      let jobs = options.jobs == 1 ? "1 job" : "\(options.jobs) jobs"
      let offers =
        options.resources.isEmpty ? "" : ", offers \(options.resources.optionText)"
      report.say(
        "worker \(options.name): \(jobs)\(tags)\(offers), journal on \(link.address.name)")
    }
    for token in rows.integers(0, 1) { cancel(token) }
    step()
  }

  /// Cancels everything if the lease could not be renewed in time.
  func checkLease() {
    if lease.isOver { loseLease() }
  }

  private func loseLease() {
    guard lease.isHeld else { return }
    lease.lose()
    let running = held.values.count { $0.state == .begun }
    let what = running == 1 ? "1 execution is" : "\(running) executions are"
    report.say(
      "the lease is lost: "
        + (running == 0
          ? "nothing was running here" : "\(what) cancelled here and started elsewhere"))
    for entry in held.values { batches[entry.batch]?.lost[entry.number] = entry.token }
    for batch in batches.values { batch.executor?.terminate(grace: lease.length / 50) }
    batches = [:]
    held = [:]
    byNumber = [:]
  }

  private func cancel(_ token: Int) {
    guard let entry = held[token], !entry.isCancelled else { return }
    entry.isCancelled = true
    if entry.state == .waiting {
      batches[entry.batch]?.waiting.removeAll { $0 === entry }
      end(entry, Outbox.End(token: token, state: "cancelled"))
    } else {
      batches[entry.batch]?.executor?.cancel(entry.number)
    }
  }

  // MARK: Ending

  /// Claims nothing more, and ends when what it executes has ended, or after the time that the options
  /// allow. A second call cancels what is left.
  package func drain() {
    guard !isDraining else { return interrupt() }
    isDraining = true
    // Before it has joined there is nothing to give back.
    guard lease.isHeld else { return finish() }
    let running = held.values.count { $0.state == .begun }
    if running > 0 { report.say("draining: \(running) still running; again to cancel") }
    for entry in held.values where entry.state != .begun { giveBack(entry) }
    if let limit = options.drain {
      timers.append(loop.timer(after: limit) { [unowned self] in interrupt() })
    }
    beat()
    step()
  }

  /// Cancels what is left, which others execute.
  private func interrupt() {
    guard !isOver else { return }
    if !link.isUp || !lease.isHeld { return finish() }
    for batch in batches.values { batch.executor?.terminate(grace: .seconds(5)) }
  }

  /// Takes no more steps, as the worker ends with an error.
  func stop(because error: ServerError) {
    failure = error
    isOver = true
    stopTimers()
  }

  /// Ends the worker if it is to end and nothing is left.
  func endIfDone() {
    guard !isOver, held.isEmpty, outbox.isEmpty, sent.isEmpty,
      batches.values.allSatisfy(\.executing.isEmpty)
    else { return }
    if options.isOnce, !hasNews, lease.isHeld { isDraining = true }
    guard isDraining else { return }
    isOver = true
    for batch in batches.values { batch.executor?.finish() }
    stopTimers()
    link.send("SELECT raclette.leave($1)", [.text(session)]) { [unowned self] answer in
      if case .failure(let error) = answer { failure = error }
      link.close()
      hasLeft = true
      loop.timer(after: Self.patience) { [loop] in loop.stop() }
      stopIfLeft()
    }
  }

  /// How long executors that have nothing to do may take to end: they may have traces to send.
  private static let patience = Duration.seconds(6)

  /// Stops the loop if the worker has left and its executors have ended.
  func stopIfLeft() {
    if hasLeft, batches.values.allSatisfy({ $0.executor == nil }) { loop.stop() }
  }

  private func finish() {
    isOver = true
    for batch in batches.values { batch.executor?.terminate(grace: .seconds(1)) }
    stopTimers()
    link.close()
    loop.stop()
  }

  private func stopTimers() {
    for timer in timers { timer.cancel() }
    stepTimer?.cancel()
  }

  /// Takes a step after a time, unless there is one before.
  func step(after time: Duration) {
    let due = EventLoop.now + time
    if let stepDue, stepDue <= due { return }
    stepDue = due
    stepTimer?.cancel()
    stepTimer = loop.timer(after: time) { [unowned self] in
      stepDue = nil
      step()
    }
  }

  /// How often all workers wake readers.
  private static let tellsPerSecond = 100.0
  /// How often each may in any case.
  private static let leastTellsPerSecond = 5.0
  /// The time between two questions of all workers whose notifications do not arrive.
  private static let pollInterval = Duration.milliseconds(5)
}
