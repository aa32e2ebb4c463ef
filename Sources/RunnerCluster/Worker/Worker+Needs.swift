/// How a need stands that one worker executes for all.
struct NeedState {
  /// To an executor `execute`, `completed` or `failed`; from it `completed`, `failed` or `cancelled`.
  let state: String
  let errorKind: String
  let error: String
}

/// The needs of batches that one worker executes for all.
extension Worker {
  /// Asks the server who executes a need, for the executor of a batch.
  func ask(_ need: String, of batch: WorkerBatch) {
    link.send(
      "SELECT * FROM raclette.take_need($1, $2, $3)",
      [.text(session), .integer(batch.number), .text(need)]
    ) { [unowned self] answer in
      switch answer {
      case .failure(let error) where error.isCancellation: batch.awaited.insert(need)
      case .failure(let error): fail(error)
      case .success(let rows):
        let state = rows.text(0, 0) ?? "running"
        guard batches[batch.number] === batch, let executor = batch.executor else {
          if state == "execute" {
            end(need, NeedState(state: "cancelled", errorKind: "", error: ""), of: batch)
          }
          return
        }
        if state == "running" {
          batch.awaited.insert(need)
          return
        }
        if state == "execute" { batch.executing.insert(need) }
        executor.answer(
          need,
          NeedState(state: state, errorKind: rows.text(0, 1) ?? "", error: rows.text(0, 2) ?? ""))
      }
    }
  }

  /// Asks again who executes the needs that executors wait for.
  func askAgain() {
    guard lease.isHeld, link.isUp else { return }
    for batch in batches.values {
      let needs = batch.awaited
      batch.awaited = []
      for need in needs.sorted() { ask(need, of: batch) }
    }
  }

  /// Tells the server how a need has ended that was executed here.
  func end(_ need: String, _ state: NeedState, of batch: WorkerBatch) {
    batch.executing.remove(need)
    // A worker that is to end waits for it.
    stepSoon()
    endNeeds(
      of: batch, .text(need), .text(state.state), .text(state.errorKind),
      .text(state.error.repaired))
  }

  /// Leaves to others what the executor of a batch has begun and cannot end.
  func releaseNeeds(of batch: WorkerBatch) {
    batch.awaited = []
    batch.executing = []
    endNeeds(of: batch, .null, .text("cancelled"), .null, .null)
  }

  private func endNeeds(
    of batch: WorkerBatch, _ need: ServerValue, _ state: ServerValue, _ kind: ServerValue,
    _ error: ServerValue
  ) {
    link.send(
      "SELECT raclette.end_need($1, $2, $3, $4, $5, $6)",
      [.text(session), .integer(batch.number), need, state, kind, error]
    ) { [unowned self] answer in
      // Others would wait for it as long as this worker lives.
      if case .failure(let error) = answer { fail(error) }
    }
  }
}
