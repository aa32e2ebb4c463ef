import EventLoop
import Platform
import RunnerCore
import Scripting

/// The steps of a worker: what it has to tell goes to the server, and what it claims comes back.
extension Worker {
  private static let statement =
    "SELECT * FROM raclette.finish("
    + (1...16).map { "$\($0)" }.joined(separator: ", ") + ")"

  /// Sends what waits and claims for free jobs, unless a step is under way.
  func step() {
    checkLease()
    guard !isOver, !isStepping, link.isUp, lease.isHeld else { return }
    let want = isDraining ? 0 : max(0, pace.most - held.count)
    let tells = !outbox.untold.isEmpty && tellPace.isFree
    guard !outbox.isEmpty || tells || (hasNews && want > 0) else {
      if !outbox.untold.isEmpty { step(after: tellPace.wait) }
      return endIfDone()
    }
    guard stepPace.isFree || held.count < pace.least || isDraining else {
      return step(after: stepPace.wait)
    }
    stepPace.use()
    let full = outbox
    let session = session
    outbox = Outbox()
    sent = full.ends.map(\.token)
    if tells {
      tellPace.use()
    } else {
      outbox.untell(full.untold)
    }
    isStepping = true
    link.send(
      Self.statement, [.text(session)] + full.parameters(tells: tells, want: want)
    ) { [unowned self] answer in
      isStepping = false
      sent = []
      switch answer {
      case .failure(let error): fail(error)
      case .success(let rows):
        take(rows, isCurrent: session == self.session && lease.isHeld, wanted: want)
      }
    }
  }

  private func take(_ rows: ServerRows, isCurrent: Bool, wanted: Int) {
    var count = 0
    var refused = 0
    for row in 0..<rows.count {
      let token = rows.integer(row, 0)
      if token < 0 {
        refused += 1
        continue
      }
      count += 1
      // The claims of a lease that is over are given to others with it.
      guard isCurrent else { continue }
      let entry = HeldEntry(rows, row, options.key)
      hold(entry)
    }
    if refused > 0 {
      let what = refused == 1 ? "1 late result is" : "\(refused) late results are"
      report.say("\(what) refused: what the lost lease covered is executed elsewhere")
    }
    if wanted > 0 { hasNews = count == wanted }
    for batch in batches.values { hand(batch) }
    step()
  }

  private func hold(_ entry: HeldEntry) {
    held[entry.token] = entry
    byNumber[entry.number] = entry
    if isDraining { return giveBack(entry) }
    guard entry.hasInput else { return failSealed(entry) }
    let batch = batches[entry.batch] ?? WorkerBatch(entry.batch)
    batches[entry.batch] = batch
    batch.waiting.append(entry)
  }

  private func failSealed(_ entry: HeldEntry) {
    var end = Outbox.End(token: entry.token, state: "failed")
    end.errorKind = "input"
    end.error = "the sealed input is damaged, or was sealed for another command"
    self.end(entry, end)
  }

  /// Hands entries of a batch to its executor, as far as there are jobs.
  func hand(_ batch: WorkerBatch) {
    guard !batch.waiting.isEmpty else { return }
    batch.idleSince = nil
    if let failure = batch.failure { return refuse(batch, failure) }
    guard let executor = batch.executor else { return prepare(batch) }
    let handed = held.values.count { $0.state != .waiting }
    let entries = batch.waiting.prefix(max(0, pace.mostHanded - handed))
    for entry in entries { entry.state = .handed }
    executor.send(entries.map(\.order))
    batch.waiting.removeFirst(entries.count)
  }

  private func prepare(_ batch: WorkerBatch) {
    guard !batch.isPreparing else { return }
    batch.isPreparing = true
    link.send(
      "SELECT * FROM raclette.batch_of($1, $2)", [.text(session), .integer(batch.number)]
    ) { [unowned self] answer in
      guard batches[batch.number] === batch else { return }
      switch answer {
      case .failure(let error): refuse(batch, "\(error)")
      case .success(let rows):
        guard rows.count == 1 else { return refuse(batch, "the batch is gone") }
        let file = rows.text(0, 1) ?? ""
        let options = rows.text(0, 2) ?? "[]"
        bundles.folder(of: rows.text(0, 0) ?? "") { [unowned self] answer in
          guard batches[batch.number] === batch else { return }
          batch.isPreparing = false
          switch answer {
          case .failure(let error): refuse(batch, "\(error)")
          case .success(let bundle): start(batch, of: bundle, file, options)
          }
        }
      }
    }
  }

  private func start(_ batch: WorkerBatch, of bundle: String, _ file: String, _ options: String) {
    var words: [String] = []
    if case .list(let elements)? = JSONValue(text: options) {
      words = elements.compactMap { if case .string(let word) = $0 { word } else { nil } }
    }
    words += ["--quiet", "--jobs", "\(self.options.jobs)"]
    // The server knows how long an entry may wait for a worker on which its command is enabled.
    words += ["--enabled-timeout", "1s"]
    if !file.isEmpty { words += ["--file", file] }
    do {
      let folder = try bundles.workFolders.copy(of: bundle)
      batch.executor = try ExecutorProcess(
        on: loop, options: words, in: folder, batch: batch.number, worker: self.options.name,
        // The batch lives as long as its executor, which may end after the lease.
        onMessage: { [weak self] in self?.take($0, of: batch) },
        onEnd: { [weak self] errors in
          removeFolder(folder)
          self?.ended(batch, errors)
          batch.executor = nil
        })
    } catch {
      return refuse(batch, "\(error)")
    }
    batch.executor?.renew(for: lease.remaining)
    hand(batch)
  }

  // MARK: Entries

  private func take(_ message: ExecutorProcess.Message, of batch: WorkerBatch) {
    guard batches[batch.number] === batch else { return take(late: message, of: batch) }
    switch message {
    case .ready: break
    case .expired: batch.isExpired = true
    case .began(let number):
      guard let entry = byNumber[number] else { return }
      entry.state = .begun
      batch.hasBegun = true
      outbox.begin(entry.token)
    case .event(0, let event): outbox.add(event, of: 0, in: batch.number)
    case .event(let number, let event):
      guard let entry = byNumber[number] else { return }
      guard entry.kept < Self.mostKept else {
        entry.leftOut += 1
        return
      }
      entry.kept += event.utf8.count
      outbox.add(event, of: entry.token, in: batch.number)
    case .ended(let number, var end):
      guard let entry = byNumber[number] else { return }
      pace.ended(after: end.duration)
      if entry.leftOut > 0 {
        outbox.add(entry.gap(worker: options.name), of: entry.token, in: batch.number)
      }
      if end.state == "failed", end.errorKind == "not_enabled", entry.state != .begun {
        end.state = "not_enabled"
      }
      if end.state == "cancelled", isDraining || batch.isExpired, !entry.isCancelled {
        end.state = "interrupted"
      }
      self.end(entry, end)
    case .need(let need): ask(need, of: batch)
    case .needed(let need, let state): end(need, state, of: batch)
    case .back(let number):
      guard let entry = byNumber[number] else { return }
      self.end(
        entry, Outbox.End(token: entry.token, state: entry.isCancelled ? "cancelled" : "returned"))
    }
    stepSoon()
  }

  /// Sends the results of a lease that is over all the same: the server decides about them.
  private func take(late message: ExecutorProcess.Message, of batch: WorkerBatch) {
    guard case .ended(let number, var end) = message, end.state != "cancelled",
      let token = batch.lost.removeValue(forKey: number)
    else { return }
    end.token = token
    outbox.end(end, of: batch.number)
    stepSoon()
  }

  /// The most bytes of events that are kept of an execution; its last lines are kept in any case.
  private static let mostKept = 1 << 20

  /// Gives back an entry that has not begun.
  func giveBack(_ entry: HeldEntry) {
    guard entry.state != .begun, !entry.isRecalled else { return }
    guard entry.state == .waiting else {
      entry.isRecalled = true
      batches[entry.batch]?.executor?.recall(entry.number)
      return
    }
    batches[entry.batch]?.waiting.removeAll { $0 === entry }
    end(entry, Outbox.End(token: entry.token, state: "returned"))
  }

  func end(_ entry: HeldEntry, _ end: Outbox.End) {
    held[entry.token] = nil
    byNumber[entry.number] = nil
    var end = end
    end.token = entry.token
    outbox.end(end, of: entry.batch)
    stepSoon()
  }

  /// Gives back the entries of a batch that cannot be executed here, now and later.
  private func refuse(_ batch: WorkerBatch, _ reason: String) {
    if batch.failure == nil {
      report.error("batch \(batch.number): \(reason)")
      link.send(
        "SELECT raclette.refuse($1, $2, $3)",
        [.text(session), .integer(batch.number), .text(Secrets.masked(reason).repaired)])
    }
    batch.failure = reason
    batch.waiting = []
    for entry in entries(of: batch) {
      end(entry, Outbox.End(token: entry.token, state: "returned"))
    }
  }

  private func entries(of batch: WorkerBatch) -> [HeldEntry] {
    held.values.filter { $0.batch == batch.number }.sorted { $0.number < $1.number }
  }

  /// Handles the end of an executor: a crash if it still has entries.
  private func ended(_ batch: WorkerBatch, _ errors: String) {
    guard batches[batch.number] === batch else { return }
    let wasReady = batch.executor?.isReady == true
    if !batch.executing.isEmpty { releaseNeeds(of: batch) }
    batch.executor = nil
    var last = errors.split(separator: "\n").last.map(String.init) ?? "it gave no reason"
    if last.hasPrefix(Self.messagePrefix) { last.removeFirst(Self.messagePrefix.count) }
    if !wasReady, !isDraining, !batch.isExpired { return refuse(batch, last) }
    batches[batch.number] = nil
    for entry in entries(of: batch) {
      var end = Outbox.End(token: entry.token, state: "crashed")
      end.errorKind = "lost"
      end.error = "the process that executed it has ended: \(last)"
      if isDraining || batch.isExpired || entry.state != .begun {
        end.state = entry.state == .begun ? "interrupted" : "returned"
      }
      self.end(entry, end)
    }
  }

  private static let messagePrefix = "raclette: error: "

  // MARK: Now and then

  /// Gives back what cannot begin here although there are jobs, so that other workers can.
  func recallStuck() {
    guard lease.isHeld else { return }
    let running = held.values.count { $0.state == .begun }
    var isStuck = false
    for entry in held.values where entry.state != .begun {
      guard EventLoop.now - entry.claimed > .milliseconds(250), !entry.isRecalled,
        batches[entry.batch]?.hasBegun == true, running > 0
      else { continue }
      giveBack(entry)
      isStuck = true
    }
    if isStuck { pace.narrow(to: running) } else if running == held.count { pace.widen() }
  }

  /// Ends executors that have had nothing to do for a while.
  func tidy() {
    for batch in batches.values {
      guard batch.executing.isEmpty, batch.awaited.isEmpty,
        !held.values.contains(where: { $0.batch == batch.number })
      else {
        batch.idleSince = nil
        continue
      }
      guard let since = batch.idleSince else {
        batch.idleSince = EventLoop.now
        continue
      }
      guard EventLoop.now - since > .seconds(5) else { continue }
      batch.executor?.finish()
      batches[batch.number] = nil
    }
  }

  /// Hands on what waits and takes a step when the messages that have arrived together are read.
  func stepSoon() {
    guard !isStepDue else { return }
    isStepDue = true
    let me = LoopBound(self)
    loop.enqueue {
      me.value.isStepDue = false
      for batch in me.value.batches.values { me.value.hand(batch) }
      me.value.step()
    }
  }
}

extension HeldEntry {
  /// An event that tells how many were not kept.
  fileprivate func gap(worker: String) -> String {
    var entry: [(String, JSONValue)] = [("plan", .string(plan)), ("line", .integer(Int64(line)))]
    if let name { entry.append(("id", .string(name))) }
    entry.append(("recorded", .integer(Int64(number))))
    return EventJSON.text(
      "gap",
      [
        ("count", "\(leftOut)"), ("entry", JSONValue.object(entry).text), ("batch", "\(batch)"),
        ("worker", JSONValue.string(worker).text), ("attempt", "\(attempt)"),
      ])
  }
}
