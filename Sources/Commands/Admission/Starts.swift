import Reactive

/// How executions start, and start again.
extension CommandCore {
  /// The work of an execution is due.
  func start(_ occupant: Occupant, _ work: Work) {
    let ticket = occupant.ticket
    let isDue = state.withLock { _ in
      guard case .ready = ticket.phase else { return false }
      ticket.phase = .running
      ticket.willSubscribe()
      return true
    }
    guard isDue else { return }
    if let supervision = ticket.supervision {
      supervise(occupant, supervision, Work(behavior.repeatable(work.signal)))
    } else {
      attempt(occupant, work, in: ticket.subscription)
    }
  }

  private func attempt(_ occupant: Occupant, _ work: Work, in subscription: CompoundDisposable) {
    behavior.subscribe(occupant.execution, work.signal, subscription)
    if occupant.ticket.didSubscribe() { freeWhenTornDown(occupant.ticket) }
  }

  private func supervise(_ occupant: Occupant, _ supervision: Supervision, _ work: Work) {
    let ticket = occupant.ticket
    state.withLock { _ in if !ticket.phase.isEnded { ticket.work = work } }
    if let timeout = supervision.options.timeout {
      ticket.subscription.add(
        scheduler.schedule(limit: timeout) {
          self.stop(occupant, .failed, CommandError.timeout(after: timeout))
        })
    }
    supervision.first()
    attempt(occupant, work, in: ticket.subscription.makeChild())
  }

  /// Starts a further attempt if there is one, once nothing is left of the last.
  func retry(
    _ occupant: Occupant, after error: any Error, _ last: CompoundDisposable
  ) -> Bool {
    let ticket = occupant.ticket
    guard let supervision = ticket.supervision, !ticket.subscription.isDisposed,
      let next = supervision.next(after: error)
    else { return false }
    supervision.attempts.sendNext(next)
    last.whenTornDown { [scheduler] in
      let delay = ticket.subscription.makeChild()
      let again: @Sendable () -> Void = {
        delay.dispose()
        self.again(occupant)
      }
      // No timer for nothing; the hop keeps rounds from nesting.
      delay.add(
        next.delay > .zero
          ? scheduler.schedule(after: next.delay, again) : scheduler.schedule(again))
    }
    return true
  }

  private func again(_ occupant: Occupant) {
    let ticket = occupant.ticket
    let work: Work? = state.withLock { _ in
      guard case .running = ticket.phase else { return nil }
      ticket.willSubscribe()
      return ticket.work
    }
    if let work { attempt(occupant, work, in: ticket.subscription.makeChild()) }
  }

  /// Calls the signal block of an execution whose turn has come.
  func workOfWaiting(_ occupant: Occupant) -> Work? {
    let (isDue, changes) = state.withLock { _ in
      (!occupant.ticket.phase.isEnded, occupant.ticket.changes)
    }
    guard isDue else { return nil }
    changes?.sendNext(())
    return Work(behavior.makeWork(occupant.execution))
  }
}
