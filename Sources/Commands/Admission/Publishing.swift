import Reactive

/// Publishing: one job at a time on the scheduler makes the publications.
extension CommandCore {
  /// The number of publications made in one turn of the scheduler, so that a command whose
  /// observers execute it again and again lets other work run.
  private static var publicationsPerTurn: Int { 256 }

  func scheduleTurn() {
    if let main {
      main._withUnsafeGuaranteedRef { $0.enqueuePerforming { self.takeTurnOnMain() } }
    } else {
      scheduler.schedule { self.takeTurn() }
    }
  }

  private func takeTurnOnMain() {
    main?._withUnsafeGuaranteedRef { $0.perform { takeTurn() } }
  }

  private func takeTurn() {
    var settles = false
    for _ in 0..<Self.publicationsPerTurn {
      var observed = Observed()
      guard let content = nextPublication(&observed, settling: settles) else { return }
      settles = make(content, observed)
    }
    let former = state.withLock { $0.endPublication() }
    withExtendedLifetime(former) {}
    if settles { transition { $0.settle(true) } }
    scheduleTurn()
  }

  /// What most publications need: new values, and the properties to send them to. The state keeps a
  /// property until the command is closed, so that they need not be retained here.
  private struct Observed {
    var change = Publication.Change()
    var executions: Unmanaged<CommandProperty<AnyExecution>>?
    var executing: Unmanaged<CommandProperty<Bool>>?
    var enabled: Unmanaged<CommandProperty<Bool>>?

    func send(_ execution: AnyExecution) {
      executions?._withUnsafeGuaranteedRef { $0.send(execution) }
    }

    func sendChange() {
      if let value = change.executing { executing?._withUnsafeGuaranteedRef { $0.send(value) } }
      if let value = change.enabled { enabled?._withUnsafeGuaranteedRef { $0.send(value) } }
    }
  }

  /// The next publication and the properties to send it to. A property created after this call
  /// begins with the new value.
  ///
  /// - Parameter settles: true if an execution that was published has ended and is to be settled.
  private func nextPublication(
    _ observed: inout Observed, settling settles: Bool
  ) -> Publication.Content? {
    let (content, seen, effects, former) = state.withLock { state in
      let former = state.endPublication()
      let effects = settles ? settle(&state) : nil
      let (content, seen) = next(&state)
      return (content, seen, effects, former)
    }
    withExtendedLifetime(former) {}
    if let effects { carryOut(effects) }
    observed = seen
    return content
  }

  private func settle(_ state: inout CommandState) -> CommandState.Effects? {
    state.settle(true)
    // A turn is under way.
    _ = state.noteChanges()
    return state.noteEffects()
  }

  private func next(_ state: inout CommandState) -> (Publication.Content?, Observed) {
    guard let publication = state.publications.popFirst() else {
      state.pump = .idle
      return (nil, Observed())
    }
    // The signal block is called before the publication begins: who subscribes in it receives that.
    if case .admitted(_, nil) = publication.content {
      return (publication.content, Observed(change: publication.change))
    }
    if case .closed = publication.content { state.hasCompleted = true }
    return (publication.content, begin(publication.change, &state))
  }

  /// Begins a publication.
  private func begin(_ change: Publication.Change, _ state: inout CommandState) -> Observed {
    state.isPublishing = true
    state.show(change)
    return Observed(
      change: change,
      executions: state.properties.executions.map(Unmanaged.passUnretained),
      executing: state.properties.executing.map(Unmanaged.passUnretained),
      enabled: state.properties.enabled.map(Unmanaged.passUnretained))
  }

  /// Makes a publication.
  ///
  /// - Returns: true if an execution was published that has ended and is to be settled.
  private func make(_ content: consuming Publication.Content, _ observed: Observed) -> Bool {
    switch consume content {
    case .changed:
      observed.sendChange()
      if let limit = observed.change.limit {
        state.withLock { $0.properties.limit }?.send(limit)
      }
    case .admitted(let execution, let work?): return publish(execution, work, observed)
    case .admitted(let execution, nil): return publishWaiting(execution, observed.change)
    case .failed(let execution, let error):
      state.withLock { $0.properties.failures }?.send((execution, error))
    case .rejected(let error): state.withLock { $0.properties.disabledErrors }?.send(error)
    case .closed:
      // The properties keep the state, too.
      let properties = state.withLock { state in
        defer { state.properties = CommandProperties() }
        return state.properties
      }
      properties.complete()
    }
    return false
  }

  private func publish(_ execution: AnyExecution, _ work: Work, _ observed: Observed) -> Bool {
    observed.send(execution)
    observed.sendChange()
    return withExtendedLifetime(execution) {
      execution.withEntry { start(execution, $0, work) }
    }
  }

  /// Publishes an execution that has waited: its signal block is called only now.
  private func publishWaiting(
    _ execution: AnyExecution, _ change: Publication.Change
  ) -> Bool {
    let work = workOfWaiting(execution, execution.entry)
    let observed = state.withLock { begin(change, &$0) }
    observed.send(execution)
    observed.sendChange()
    guard let work else { return false }
    return start(execution, execution.entry, work)
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
