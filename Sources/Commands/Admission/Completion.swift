import Reactive

/// The end of executions, by their work or from outside.
///
/// The first caller claims the end in one critical section. Then the work is torn down, the
/// subscribers are notified, and the slot is settled. A slot that can be freed at once is free
/// before the subscribers are notified, so they may execute again.
extension CommandCore {
  /// Ends an execution whose work has sent its terminal event.
  @usableFromInline
  func workEnded(
    _ execution: any AnyObject & Sendable, _ entry: ExecutionEntry, _ termination: Termination,
    _ subscription: CompoundDisposable
  ) {
    if end(execution, entry, termination, subscription) { settle(entry) }
  }

  /// Does the same, but for settling the execution.
  ///
  /// - Returns: true if the caller has to settle it.
  @usableFromInline
  func end(
    _ execution: any AnyObject & Sendable, _ entry: ExecutionEntry, _ termination: Termination,
    _ subscription: CompoundDisposable
  ) -> Bool {
    // RAC's order: the work is torn down before its end is delivered.
    subscription.dispose()
    if entry.supervision != nil {
      if case .error(let error) = termination,
        retry(AnyExecution(execution, entry), after: error, subscription)
      {
        return false
      }
      entry.dispose()
    }
    let teardown = entry.outstandingTeardown
    let ending = change { $0.end(execution, entry, termination, freesSlot: teardown == nil) }
    guard let ending else { return false }
    tell(ending, of: execution, entry, termination)
    guard let teardown else { return true }
    // The slot stays taken, but the error has to be published now.
    transition { _ in }
    teardown.whenDone { self.free(entry) }
    return false
  }

  /// Ends an execution from outside, if it has not ended: by cancellation or a timeout.
  @usableFromInline
  func stop(_ execution: AnyExecution, _ end: ExecutionState, _ error: any Error) {
    let preempted = change { $0.claim(execution, end, error) }
    if let preempted { finish(preempted) }
  }

  /// Notifies an execution that was ended from outside, and tears down its work.
  @usableFromInline
  func finish(_ preempted: CommandState.Preempted) {
    let entry = preempted.execution.entry
    let tellEnd = {
      self.tell(preempted.ending, of: preempted.execution.object, entry, .error(preempted.error))
    }
    switch preempted.phase {
    case .ended: return
    case .preparing:
      tellEnd()
      transition { _ in }
    case .queued, .ready:
      guard preempted.isStarted else {
        tellEnd()
        return settle(entry)
      }
      entry.dispose()
      let isSubscribed = entry.didStop()
      let teardown = entry.outstandingTeardown
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

  /// Notifies the subscribers of an execution and the observers of its state.
  private func tell(
    _ ending: CommandState.Ending, of execution: AnyObject, _ entry: ExecutionEntry,
    _ termination: Termination
  ) {
    behavior.end(execution, termination)
    entry.supervision?.attempts.sendCompleted()
    if let changes = ending.changes {
      changes.sendNext(())
      changes.sendCompleted()
    }
  }

  func freeWhenTornDown(_ entry: ExecutionEntry) {
    entry.whenTornDown { self.free(entry) }
  }

  private func free(_ entry: ExecutionEntry) {
    _ = change { $0.release(entry) }
    settle(entry)
  }

  /// Settles an execution whose slot is free and whose subscribers have been notified of its end.
  private func settle(_ entry: ExecutionEntry) {
    transition { $0.settle(entry.isAnnounced) }
  }
}
