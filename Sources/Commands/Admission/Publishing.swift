import Reactive

/// Publishing: one job at a time on the scheduler makes the publications.
extension CommandCore {
  /// The number of publications made in one turn of the scheduler, so that a command whose
  /// observers execute it again and again lets other work run.
  private static var publicationsPerTurn: Int { 256 }

  func scheduleTurn() {
    if let main {
      main.enqueuePerforming { self.takeTurnOnMain() }
    } else {
      scheduler.schedule { self.takeTurn() }
    }
  }

  private func takeTurnOnMain() { main?.perform(takeTurn) }

  private func takeTurn() {
    for _ in 0..<Self.publicationsPerTurn {
      guard let publication = nextPublication() else { return }
      make(publication)
    }
    scheduleTurn()
  }

  /// The next publication and the properties to send it to. A property created after this call
  /// begins with the new value.
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
        publication: publication,
        executions: state.properties.executions.map(Unmanaged.passUnretained),
        executing: state.properties.executing.map(Unmanaged.passUnretained),
        enabled: state.properties.enabled.map(Unmanaged.passUnretained))
    }
  }

  /// A publication, and the properties that most publications need. The core keeps a property for
  /// its whole life, so that they need not be retained here.
  private struct Due: Sendable {
    let publication: Publication
    let executions: Unmanaged<CommandProperty<AnyExecution>>?
    let executing: Unmanaged<CommandProperty<Bool>>?
    let enabled: Unmanaged<CommandProperty<Bool>>?

    func send(_ change: Publication.Change) {
      if let value = change.executing { executing?._withUnsafeGuaranteedRef { $0.send(value) } }
      if let value = change.enabled { enabled?._withUnsafeGuaranteedRef { $0.send(value) } }
    }
  }

  private func make(_ due: consuming Due) {
    switch due.publication {
    case .changed(let change): due.send(change)
    case .admitted(let execution, let work, let change):
      let work = work ?? workOfWaiting(execution)
      due.executions?._withUnsafeGuaranteedRef { $0.send(execution) }
      due.send(change)
      if let work { start(execution, work) }
    case .limit(let limit): state.withLock { $0.properties.limit }?.send(limit)
    case .failed(let execution, let error):
      state.withLock { $0.properties.failures }?.send((execution, error))
    case .rejected(let error): state.withLock { $0.properties.disabledErrors }?.send(error)
    case .closed: state.withLock { $0.properties }.complete()
    }
  }

  func sendImmediate() {
    while true {
      let (properties, change) = state.withLock { state -> (CommandProperties, ImmediateChange?) in
        let change = state.immediate.popFirst()
        if change == nil { state.isSendingImmediate = false }
        return (state.properties, change)
      }
      switch change {
      case .enabled(let value): properties.immediateEnabled?.sendNext(value)
      case .concurrentExecutionAllowed(let value):
        properties.concurrentExecutionAllowed?.sendNext(value)
      case nil: return
      }
    }
  }
}
