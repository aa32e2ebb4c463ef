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
    if wanted > 0, count == 0, held.isEmpty { pace.rest() }
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
