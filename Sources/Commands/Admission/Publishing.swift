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

  private func nextPublication() -> Publication? {
    state.withLock { state in
      let publication = state.publications.popFirst()
      if publication == nil { state.pump = .idle }
      return publication
    }
  }

  private func make(_ publication: Publication) {
    switch publication {
    case .admitted(let occupant, let work, let change):
      let work = work ?? workOfWaiting(occupant)
      behavior.publish(occupant.execution)
      show(change)
      if let work { start(occupant, work) }
    case .changed(let change):
      show(change)
    case .limit(let limit):
      let outlet = state.withLock { state in
        state.shownLimit = limit
        return state.outlets.limit
      }
      outlet?.sendNext(limit)
    case .failed(let error):
      state.withLock { $0.outlets.errors }?.sendNext(error)
    case .rejected(let error):
      state.withLock { $0.outlets.disabledErrors }?.sendNext(error)
    case .closed:
      let outlets = state.withLock { $0.outlets }
      behavior.close()
      outlets.complete()
    }
  }

  private func show(_ change: Publication.Change) {
    if let executing = change.executing {
      let outlet = state.withLock { state in
        state.shownExecuting = executing
        return state.outlets.executing
      }
      outlet?.sendNext(executing)
    }
    if let enabled = change.enabled {
      let outlet = state.withLock { state in
        state.shownEnabled = enabled
        return state.outlets.enabled
      }
      outlet?.sendNext(enabled)
    }
  }

  func sendImmediate() {
    while true {
      let (outlet, value) = state.withLock { state -> (BehaviorSubject<Bool>?, Bool?) in
        let value = state.immediate?.popFirst()
        if value == nil { state.isSendingImmediate = false }
        return (state.outlets.immediateEnabled, value)
      }
      guard let value else { return }
      outlet?.sendNext(value)
    }
  }
}
