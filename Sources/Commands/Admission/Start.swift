import Reactive

/// The start of executions, and their retries.
extension CommandCore {
  /// Starts the work of an execution.
  func start(_ execution: AnyExecution, _ work: Work) {
    let entry = execution.entry
    let isDue = state.withLock { _ in
      guard case .ready = entry.phase else { return false }
      entry.phase = .running
      entry.willSubscribe()
      return true
    }
    guard isDue else { return }
    if let supervision = entry.supervision {
      supervise(execution, supervision, Work(behavior.repeatable(work.signal)))
    } else {
      attempt(execution, work, in: entry.subscription)
    }
  }

  private func attempt(_ execution: AnyExecution, _ work: Work, in subscription: CompoundDisposable)
  {
    let entry = execution.entry
    behavior.subscribe(execution.object, work.signal, subscription)
    if entry.didSubscribe() { freeWhenTornDown(entry) }
  }

  private func supervise(_ execution: AnyExecution, _ supervision: Supervision, _ work: Work) {
    let entry = execution.entry
    state.withLock { _ in if !entry.phase.isEnded { entry.work = work } }
    if let timeout = supervision.options.timeout {
      entry.subscription.add(
        scheduler.schedule(limit: timeout) {
          self.stop(execution, .failed, CommandError.timeout(after: timeout))
        })
    }
    supervision.first()
    attempt(execution, work, in: entry.subscription.makeChild())
  }

  /// Starts another attempt, if there is one, once the last attempt's teardown has finished.
  func retry(
    _ execution: AnyExecution, after error: any Error, _ last: CompoundDisposable
  ) -> Bool {
    let entry = execution.entry
    guard let supervision = entry.supervision, !entry.subscription.isDisposed,
      let next = supervision.next(after: error)
    else { return false }
    supervision.attempts.sendNext(next)
    last.whenTornDown { [scheduler] in
      let delay = entry.subscription.makeChild()
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
      guard case .running = entry.phase else { return nil }
      entry.willSubscribe()
      return entry.work
    }
    if let work { attempt(execution, work, in: entry.subscription.makeChild()) }
  }

  /// Calls the signal block of a waiting execution when its turn has come.
  func workOfWaiting(_ execution: AnyExecution) -> Work? {
    let (isDue, changes) = state.withLock { _ in
      (!execution.entry.phase.isEnded, execution.entry.changes)
    }
    guard isDue else { return nil }
    changes?.sendNext(())
    return Work(behavior.makeWork(execution.object))
  }
}
