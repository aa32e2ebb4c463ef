import Reactive

/// Publications are made by one job at a time on the scheduler.
extension CommandCore {
  /// Publications made in one turn of the scheduler, so that a command whose observers execute it
  /// again and again leaves room for others.
  private static var publicationsPerTurn: Int { 256 }

  func scheduleTurn() {
    if let main { main.enqueue { self.takeTurn() } } else { scheduler.schedule { self.takeTurn() } }
  }

  private func takeTurn() {
    for _ in 0..<Self.publicationsPerTurn {
      guard let publication = nextPublication() else { return }
      make(publication)
    }
    scheduleTurn()
  }

  /// The next publication with what is to be sent where: an outlet that is made after this begins
  /// with the new value.
  private func nextPublication() -> Due? {
    state.withLock { state in
      guard let publication = state.publications.popFirst() else {
        state.pump = .idle
        return nil
      }
      switch publication {
      case .admitted(_, _, let change), .changed(let change): state.show(change)
      case .limit(let limit): state.shownLimit = limit
      case .failed, .rejected, .closed: break
      }
      return Due(
        publication: publication, executions: state.outlets.executions,
        executing: state.outlets.executing, enabled: state.outlets.enabled)
    }
  }

  /// A publication, and the outlets that most of them need.
  private struct Due: Sendable {
    let publication: Publication
    let executions: Outlet<Occupant>?
    let executing: Outlet<Bool>?
    let enabled: Outlet<Bool>?

    func send(_ change: Publication.Change) {
      if let value = change.executing { executing?.send(value) }
      if let value = change.enabled { enabled?.send(value) }
    }
  }

  private func make(_ due: consuming Due) {
    switch due.publication {
    case .changed(let change): due.send(change)
    case .admitted(let occupant, let work, let change):
      let work = work ?? workOfWaiting(occupant)
      due.executions?.send(occupant)
      due.send(change)
      if let work { start(occupant, work) }
    case .limit(let limit): state.withLock { $0.outlets.limit }?.send(limit)
    case .failed(let occupant, let error):
      state.withLock { $0.outlets.failures }?.send((occupant, error))
    case .rejected(let error): state.withLock { $0.outlets.disabledErrors }?.send(error)
    case .closed: state.withLock { $0.outlets }.complete()
    }
  }

  func sendImmediate() {
    while true {
      let (outlets, change) = state.withLock { state -> (Outlets, ImmediateChange?) in
        let change = state.immediate.popFirst()
        if change == nil { state.isSendingImmediate = false }
        return (state.outlets, change)
      }
      switch change {
      case .enabled(let value): outlets.immediateEnabled?.sendNext(value)
      case .concurrentExecutionAllowed(let value):
        outlets.concurrentExecutionAllowed?.sendNext(value)
      case nil: return
      }
    }
  }
}
