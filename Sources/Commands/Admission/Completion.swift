import Reactive

/// How executions end: by their work, or from outside.
///
/// The end is claimed in one critical section, by whoever comes first. Then the work is torn down,
/// the subscribers are told, and the slot is settled. A slot that can be freed at once is free before
/// the subscribers hear of the end, so that they may execute again.
extension CommandCore {
  /// The work has sent its end.
  @usableFromInline
  func workEnded(
    _ execution: AnyExecution, _ termination: Termination, _ subscription: CompoundDisposable
  ) {
    let entry = execution.entry
    // RAC's order: the work is torn down before its end is told.
    subscription.dispose()
    if entry.supervision != nil {
      if case .error(let error) = termination, retry(execution, after: error, subscription) {
        return
      }
      entry.subscription.dispose()
    }
    let teardown = entry.subscription.outstandingTeardown
    let ending = change { $0.end(execution, termination, freesSlot: teardown == nil) }
    guard let ending else { return }
    tell(ending, of: execution, termination)
    if let teardown {
      // The slot stays taken, but the error is due.
      transition { _ in }
      teardown.whenDone { self.free(entry) }
    } else {
      settle(entry)
    }
  }

  /// Ends an execution from outside, if it has not ended: by cancellation or a timeout.
  @usableFromInline
  func stop(_ execution: AnyExecution, _ end: ExecutionState, _ error: any Error) {
    let preempted = change { $0.claim(execution, end, error) }
    if let preempted { finish(preempted) }
  }

  /// Tells an execution that was ended from outside, and its work.
  @usableFromInline
  func finish(_ preempted: CommandState.Preempted) {
    let entry = preempted.execution.entry
    let tellEnd = {
      self.tell(preempted.ending, of: preempted.execution, .error(preempted.error))
    }
    switch preempted.phase {
    case .ended: return
    case .queued, .ready:
      tellEnd()
      settle(entry)
    case .preparing:
      tellEnd()
      transition { _ in }
    case .running:
      entry.subscription.dispose()
      let isSubscribed = entry.didStop()
      let teardown = entry.subscription.outstandingTeardown
      if isSubscribed && teardown == nil {
        _ = change { $0.release(entry) }
        tellEnd()
        settle(entry)
      } else {
        tellEnd()
        transition { _ in }
        if isSubscribed { freeWhenTornDown(entry) }
      }
    }
  }

  /// Tells the subscribers of an execution, and those who watch it.
  private func tell(
    _ ending: CommandState.Ending, of execution: AnyExecution, _ termination: Termination
  ) {
    behavior.end(execution.object, termination)
    execution.entry.supervision?.attempts.sendCompleted()
    if let changes = ending.changes {
      changes.sendNext(())
      changes.sendCompleted()
    }
  }

  func freeWhenTornDown(_ entry: ExecutionEntry) {
    entry.subscription.whenTornDown { self.free(entry) }
  }

  private func free(_ entry: ExecutionEntry) {
    _ = change { $0.release(entry) }
    settle(entry)
  }

  /// The slot of an execution is free and its subscribers know its end.
  private func settle(_ entry: ExecutionEntry) {
    transition { state in
      if entry.isAnnounced { state.announced -= 1 }
      state.admitWaiting()
    }
  }
}
