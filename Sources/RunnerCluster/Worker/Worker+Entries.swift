import EventLoop
import RunnerCore
import Scripting

/// What executors tell about entries, and what becomes of entries that cannot begin here.
extension Worker {
  func take(_ message: ExecutorProcess.Message, of batch: WorkerBatch) {
    if case .free(let wish) = message { return batch.free(wish) }
    guard batches[batch.number] === batch else { return take(late: message, of: batch) }
    switch message {
    case .ready: if batch.failure != nil { accept(batch) }
    case .expired: batch.isExpired = true
    case .began(let number):
      guard let entry = byNumber[number] else { return }
      entry.state = .begun
      batch.hasBegun = true
      outbox.begin(entry.token)
    case .event(0, let event): outbox.add(event, of: 0, in: batch.number)
    case .event(let number, let event):
      guard let entry = byNumber[number] else { return }
      guard entry.kept < Self.mostKept, event.utf8.count <= Self.longest else {
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
    case .take(let wish, let wanted, let offers, let rank, let user):
      return promise(wanted, of: offers, to: user, rank, wish, of: batch)
    case .free: return
    case .back(let number):
      guard let entry = byNumber[number] else { return }
      self.end(
        entry, Outbox.End(token: entry.token, state: entry.isCancelled ? "cancelled" : "returned"))
    }
    stepSoon()
  }

  /// Promises an executor what one of its executions uses, once it is free: all batches share it.
  private func promise(
    _ wanted: Resources, of offers: Resources, to user: String, _ rank: ResourcePool.Rank,
    _ wish: Int, of batch: WorkerBatch
  ) {
    resources.offer(others: offers)
    let giveUp = resources.pool.take(wanted, for: user, rank: rank) { [weak batch] grant in
      guard let batch, let executor = batch.executor else { return grant.release() }
      batch.uses[wish] = grant.release
      executor.grant(wish, grant)
    }
    if let giveUp { batch.uses[wish] = giveUp }
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
  /// The bytes of the longest event that is kept: a step has to fit into a message of the server.
  private static let longest = 16 << 20

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
      guard batch.executing.isEmpty, batch.awaited.isEmpty, batch.nextTry == nil,
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
