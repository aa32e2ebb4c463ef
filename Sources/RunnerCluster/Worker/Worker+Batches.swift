import EventLoop
import Platform
import RunnerCore
import Scripting

/// How the executors of batches begin and end.
extension Worker {
  /// Fetches the bundle of a batch and starts its executor.
  func prepare(_ batch: WorkerBatch) {
    guard !batch.isPreparing else { return }
    batch.isPreparing = true
    link.send(
      "SELECT * FROM raclette.batch_of($1, $2)", [.text(session), .integer(batch.number)]
    ) { [unowned self] answer in
      guard batches[batch.number] === batch else { return }
      switch answer {
      case .failure(let error) where error.isDenial: fail(error)
      case .failure(let error): refuse(batch, "\(error)", mayPass: true)
      case .success(let rows):
        guard rows.count == 1 else { return refuse(batch, "the batch is gone", mayPass: false) }
        let file = rows.text(0, 1) ?? ""
        let options = rows.text(0, 2) ?? "[]"
        bundles.folder(of: rows.text(0, 0) ?? "") { [unowned self] answer in
          guard batches[batch.number] === batch else { return }
          switch answer {
          case .failure(.server(let error)) where error.isDenial: fail(error)
          case .failure(let error): refuse(batch, "\(error)", mayPass: error.mayPass)
          case .success(let bundle): start(batch, of: bundle, file, options)
          }
        }
      }
    }
  }

  private func start(_ batch: WorkerBatch, of bundle: String, _ file: String, _ options: String) {
    batch.isPreparing = false
    var words: [String] = []
    if case .list(let elements)? = JSONValue(text: options) {
      words = elements.compactMap { if case .string(let word) = $0 { word } else { nil } }
    }
    words += ["--quiet", "--jobs", "\(self.options.jobs)"]
    // The server knows how long an entry may wait for a worker on which its command is enabled.
    words += ["--enabled-timeout", "1s"]
    for offer in self.options.offers { words += ["--resource", offer] }
    if let collector = self.options.collector { words += ["--otlp", collector] }
    if !file.isEmpty { words += ["--file", file] }
    do {
      let folder = try bundles.workFolders.copy(of: bundle)
      batch.executor = try ExecutorProcess(
        on: loop, options: words, in: folder, batch: batch.number, worker: self.options.name,
        leftovers: leftovers,
        // The batch lives as long as its executor, which may end after the lease.
        onMessage: { [weak self] in self?.take($0, of: batch) },
        onEnd: { [weak self] end in
          removeFolder(folder)
          self?.ended(batch, end)
          batch.executor = nil
          batch.freeAll()
          self?.endIfFailed()
          self?.stopIfLeft()
        })
    } catch {
      return refuse(batch, "\(error)", mayPass: true)
    }
    batch.executor?.renew(until: lease.deadline)
    hand(batch)
  }

  /// Handles the end of an executor: a crash if it still has entries.
  private func ended(_ batch: WorkerBatch, _ end: ExecutorProcess.End) {
    guard batches[batch.number] === batch else { return }
    let wasReady = batch.executor?.isReady == true
    if !batch.executing.isEmpty { releaseNeeds(of: batch) }
    batch.executor = nil
    let isInterrupted = batch.isExpired || end.wasTold || isDraining && !end.wasKilled
    if !wasReady, !isInterrupted, !end.wasKilled || batch.failure != nil {
      return refuse(batch, end.reason, mayPass: end.wasKilled)
    }
    batches[batch.number] = nil
    for entry in entries(of: batch) {
      var result = Outbox.End(token: entry.token, state: "returned")
      if entry.isCancelled {
        result.state = "cancelled"
      } else if entry.state != .waiting, !isInterrupted {
        // Also if it has not begun: what it needs may have ended the process.
        result.state = "crashed"
        result.errorKind = Failure.Kind.lost.rawValue
        result.error = "the process that executed it has ended (\(end.status.text))"
      } else if entry.state == .begun {
        result.state = "interrupted"
      }
      self.end(entry, result)
    }
  }

  // MARK: Refusing

  /// Gives back the entries of a batch that cannot be executed here, and gets no more of them.
  ///
  /// - Parameter mayPass: true if it can be tried again, as when a disk was full.
  private func refuse(_ batch: WorkerBatch, _ reason: String, mayPass: Bool) {
    batch.isPreparing = false
    if batch.failure == nil {
      report.error("batch \(batch.number): \(reason)")
      link.send(
        "SELECT raclette.refuse($1, $2, $3)",
        [.text(session), .integer(batch.number), .text(Secrets.masked(reason).repaired)]
      ) { [unowned self] answer in
        // It would get the same entries again.
        if case .failure(let error) = answer { fail(error) }
      }
    }
    batch.failure = reason
    if mayPass { tryAgain(batch) { [unowned self] in prepare($0) } }
    giveBack(batch)
  }

  /// Gives back all entries of a batch, none of which has begun.
  func giveBack(_ batch: WorkerBatch) {
    batch.waiting = []
    for entry in entries(of: batch) {
      end(entry, Outbox.End(token: entry.token, state: "returned"))
    }
  }

  /// Does something for a batch again after a time that doubles.
  private func tryAgain(_ batch: WorkerBatch, _ attempt: @escaping (WorkerBatch) -> Void) {
    batch.tryDelay = min(max(batch.tryDelay * 2, .seconds(1)), .seconds(60))
    batch.nextTry?.cancel()
    batch.nextTry = loop.timer(after: batch.tryDelay) { [unowned self] in
      batch.nextTry = nil
      if !isOver, batches[batch.number] === batch { attempt(batch) }
    }
  }

  /// Takes entries of a batch again that has been refused.
  func accept(_ batch: WorkerBatch) {
    link.send("SELECT raclette.accept($1, $2)", [.text(session), .integer(batch.number)]) {
      [unowned self] answer in
      switch answer {
      case .failure(let error) where error.isDenial: fail(error)
      case .failure(let error):
        // The server gives it no entries of the batch meanwhile.
        report.error("batch \(batch.number): \(error)")
        tryAgain(batch) { [unowned self] in accept($0) }
      case .success:
        batch.failure = nil
        batch.tryDelay = .zero
        report.say("batch \(batch.number): can be executed here again")
        hasNews = true
        step()
      }
    }
  }

  private func entries(of batch: WorkerBatch) -> [HeldEntry] {
    held.values.filter { $0.batch == batch.number }.sorted { $0.number < $1.number }
  }
}
