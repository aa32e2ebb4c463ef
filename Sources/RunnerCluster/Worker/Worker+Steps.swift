import EventLoop
import Platform
import RunnerCore
import Scripting

/// The steps of a worker: what it has to tell goes to the server, and what it claims comes back.
extension Worker {
  static let statement =
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
      switch answer {
      case .failure(let error): sendSingly(full, of: session, after: error)
      case .success(let rows):
        isStepping = false
        sent = []
        take(rows, isCurrent: session == self.session && lease.isHeld, wanted: want)
      }
    }
  }

  func take(_ rows: ServerRows, isCurrent: Bool, wanted: Int) {
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
    if wanted > 0, count == 0, held.isEmpty { pace.rest() }
    for batch in batches.values { hand(batch) }
    step()
  }

  private func hold(_ entry: HeldEntry) {
    // The server has taken back what it gives again.
    if let earlier = byNumber[entry.number] {
      held[earlier.token] = nil
      batches[earlier.batch]?.waiting.removeAll { $0 === earlier }
    }
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
    if batch.failure != nil { return giveBack(batch) }
    guard let executor = batch.executor else { return prepare(batch) }
    // The next one is started when nothing is left of this one.
    guard !executor.hasEnded else { return }
    let handed = held.values.count { $0.state != .waiting }
    let entries = batch.waiting.prefix(max(0, pace.mostHanded - handed))
    for entry in entries { entry.state = .handed }
    executor.send(entries.map(\.order))
    batch.waiting.removeFirst(entries.count)
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
