import Reactive

/// The start of executions, and their retries.
extension CommandCore {
  /// Starts the work of an execution.
  ///
  /// - Returns: true if the execution has ended and the caller has to settle it.
  func start(_ execution: AnyExecution, _ entry: ExecutionEntry, _ work: Work) -> Bool {
    guard entry.willStart() else { return false }
    if let supervision = entry.supervision {
      supervise(execution, supervision, Work(behavior.repeatable(work.signal)))
      return false
    }
    return attempt(execution, entry, work, in: entry)
  }

  @discardableResult
  private func attempt(
    _ execution: AnyExecution, _ entry: ExecutionEntry, _ work: Work,
    in subscription: CompoundDisposable
  ) -> Bool {
    // Nothing can stop an execution that has ended.
    if behavior.subscribe(execution.object, work.signal, subscription) { return true }
    if entry.didSubscribe() { freeWhenTornDown(entry) }
    return false
  }

  private func supervise(_ execution: AnyExecution, _ supervision: Supervision, _ work: Work) {
    let entry = execution.entry
    state.withLock { _ in
      if !entry.phase.isEnded { supervision.work.withLock { $0 = work } }
    }
    if let timeout = supervision.options.timeout { limit(execution, supervision, timeout) }
    supervision.first()
    attempt(execution, entry, work, in: entry.makeChild())
  }

  private func limit(_ execution: AnyExecution, _ supervision: Supervision, _ rest: Duration) {
    guard let timeout = supervision.options.timeout else { return }
    let timer = execution.entry.makeChild()
    timer.add(
      scheduler.schedule(limit: rest) {
        self.stop(execution, .failed, CommandError.timeout(after: timeout))
      })
    supervision.limit.withLock { limit in
      (limit.timer, limit.due, limit.rest) = (timer, scheduler.now + rest, nil)
    }
  }

  /// Stops the timeout of an execution, until `resumeTimeout` is called as often.
  func pauseTimeout(of entry: ExecutionEntry) {
    let timer: (any Disposable)? = entry.supervision?.limit.withLock { limit in
      limit.pauses += 1
      guard limit.pauses == 1, let timer = limit.timer else { return nil }
      (limit.timer, limit.rest) = (nil, max(.zero, limit.due - scheduler.now))
      return timer
    }
    timer?.dispose()
  }

  /// Lets the timeout of an execution go on with what is left of it.
  func resumeTimeout(of execution: AnyExecution) {
    guard let supervision = execution.entry.supervision else { return }
    let rest: Duration? = supervision.limit.withLock { limit in
      limit.pauses -= 1
      return limit.pauses == 0 ? limit.rest : nil
    }
    if let rest, !execution.entry.isDisposed { limit(execution, supervision, rest) }
  }

  /// Starts another attempt, if there is one, once the last attempt's teardown has finished.
  func retry(
    _ execution: AnyExecution, after error: any Error, _ last: CompoundDisposable
  ) -> Bool {
    let entry = execution.entry
    guard let supervision = entry.supervision, !entry.isDisposed,
      let next = supervision.next(after: error)
    else { return false }
    supervision.attempts.sendNext(next)
    last.whenTornDown { [scheduler] in
      let delay = entry.makeChild()
      let again: @Sendable () -> Void = {
        delay.dispose()
        self.again(execution)
      }
      // Avoids a timer for a zero delay; the hop prevents attempts from nesting.
      delay.add(
        next.delay > .zero
          ? scheduler.schedule(after: next.delay, again) : scheduler.schedule(again))
    }
    return true
  }

  private func again(_ execution: AnyExecution) {
    let entry = execution.entry
    let work: Work? = state.withLock { _ in
      guard case .ready = entry.phase else { return nil }
      entry.willSubscribe()
      return entry.supervision?.work.withLock { $0 }
    }
    if let work { attempt(execution, entry, work, in: entry.makeChild()) }
  }

  /// Calls the signal block of a waiting execution when its turn has come.
  func workOfWaiting(_ execution: AnyExecution, _ entry: ExecutionEntry) -> Work? {
    let (isDue, changes) = state.withLock { _ in (!entry.phase.isEnded, entry.changes) }
    guard isDue else { return nil }
    changes?.sendNext(())
    return Work(behavior.makeWork(execution.object))
  }
}
