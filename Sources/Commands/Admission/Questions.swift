import Reactive

/// What can be asked of a command, and its signals.
extension CommandCore {
  func phase(of ticket: Ticket) -> Ticket.Phase { state.withLock { _ in ticket.phase } }

  /// Whether an execution has or had a slot.
  func wasAdmitted(_ ticket: Ticket) -> Bool { state.withLock { _ in ticket.isAnnounced } }

  /// The subject that tells of changes of an execution, and whether there can be any more.
  func watch(_ ticket: Ticket) -> (BehaviorSubject<Void>, hasEnded: Bool) {
    state.withLock { _ in
      let changes = ticket.changes ?? BehaviorSubject(())
      ticket.changes = changes
      return (changes, ticket.phase.isEnded)
    }
  }

  @usableFromInline
  var active: [Occupant] {
    // An execution that was stopped holds its slot, but does not run any more.
    state.withLock { $0.active.all.filter { !$0.ticket.phase.isEnded } }
  }

  @usableFromInline
  var waiting: [Occupant] { state.withLock { $0.queue.all } }

  var disabledError: CommandError? { state.withLock { $0.disabledError(of: name) } }

  var policy: BusyPolicy { state.withLock { $0.policy } }

  var executing: Signal<Bool> {
    outlet(\.executing) { BehaviorSubject($0.shownExecuting) }
  }

  var enabled: Signal<Bool> {
    outlet(\.enabled) { BehaviorSubject($0.shownEnabled) }
  }

  var immediateEnabled: Signal<Bool> {
    outlet(\.immediateEnabled) { state in
      state.immediate = Queue()
      state.lastImmediate = state.isEnabled
      return BehaviorSubject(state.lastImmediate)
    }
  }

  var limits: Signal<ConcurrencyLimit> {
    outlet(\.limit) { BehaviorSubject($0.shownLimit) }
  }

  var errors: Signal<any Error> { outlet(\.errors) { _ in Subject() } }

  var disabledErrors: Signal<CommandError> { outlet(\.disabledErrors) { _ in Subject() } }

  private func outlet<Value, S: Subject<Value>>(
    _ path: WritableKeyPath<Outlets, S?>, _ make: (inout CommandState) -> S
  ) -> Signal<Value> {
    let subject: S = state.withLock { state in
      if let subject = state.outlets[keyPath: path] { return subject }
      let subject = make(&state)
      state.outlets[keyPath: path] = subject
      return subject
    }
    // Not the subject itself, which could be sent to.
    return Signal(subject)
  }
}
