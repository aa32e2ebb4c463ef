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
    _ occupant: Occupant, _ termination: Termination, _ subscription: CompoundDisposable
  ) {
    let ticket = occupant.ticket
    // RAC's order: the work is torn down before its end is told.
    subscription.dispose()
    if ticket.supervision != nil {
      if case .error(let error) = termination, retry(occupant, after: error, subscription) {
        return
      }
      ticket.subscription.dispose()
    }
    let teardown = ticket.subscription.outstandingTeardown
    let ending = change { $0.end(occupant, termination, freesSlot: teardown == nil) }
    guard let ending else { return }
    tell(ending, of: occupant, termination)
    if let teardown {
      // The slot stays taken, but the error is due.
      transition { _ in }
      teardown.whenDone { self.free(ticket) }
    } else {
      settle(ticket)
    }
  }

  /// Ends an execution from outside, if it has not ended: by cancellation or a timeout.
  @usableFromInline
  func stop(_ occupant: Occupant, _ end: ExecutionState, _ error: any Error) {
    let victim = change { $0.claim(occupant, end, error) }
    if let victim { finish(victim) }
  }

  /// Tells an execution that was ended from outside, and its work.
  @usableFromInline
  func finish(_ victim: CommandState.Victim) {
    let ticket = victim.occupant.ticket
    let tellEnd = {
      self.tell(victim.ending, of: victim.occupant, .error(victim.error))
    }
    switch victim.phase {
    case .ended: return
    case .queued, .ready:
      tellEnd()
      settle(ticket)
    case .preparing:
      tellEnd()
      transition { _ in }
    case .running:
      ticket.subscription.dispose()
      let isSubscribed = ticket.didStop()
      let teardown = ticket.subscription.outstandingTeardown
      if isSubscribed && teardown == nil {
        _ = change { $0.release(ticket) }
        tellEnd()
        settle(ticket)
      } else {
        tellEnd()
        transition { _ in }
        if isSubscribed { freeWhenTornDown(ticket) }
      }
    }
  }

  /// Tells the subscribers of an execution, and those who watch it.
  private func tell(
    _ ending: CommandState.Ending, of occupant: Occupant, _ termination: Termination
  ) {
    behavior.end(occupant.execution, termination)
    occupant.ticket.supervision?.attempts.sendCompleted()
    if let changes = ending.changes {
      changes.sendNext(())
      changes.sendCompleted()
    }
  }

  func freeWhenTornDown(_ ticket: Ticket) {
    ticket.subscription.whenTornDown { self.free(ticket) }
  }

  private func free(_ ticket: Ticket) {
    _ = change { $0.release(ticket) }
    settle(ticket)
  }

  /// The slot of an execution is free and its subscribers know its end.
  private func settle(_ ticket: Ticket) {
    transition { state in
      if ticket.isAnnounced { state.announced -= 1 }
      state.admitWaiting()
    }
  }
}
