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

  /// The command itself, as errors and executions know it.
  var reference: CommandReference? { state.withLock { $0.reference } }

  func disabledError(of command: any UntypedCommand) -> CommandError? {
    state.withLock { $0.disabledError(of: command) }
  }

  @usableFromInline
  var executions: Signal<Occupant> { outlet(\.executions) { _ in nil } }

  var executing: Signal<Bool> { outlet(\.executing) { $0.shownExecuting } }

  var enabled: Signal<Bool> { outlet(\.enabled) { $0.shownEnabled } }

  var limits: Signal<ConcurrencyLimit> { outlet(\.limit) { $0.shownLimit } }

  var failures: Signal<(Occupant, any Error)> { outlet(\.failures) { _ in nil } }

  var disabledErrors: Signal<CommandError> { outlet(\.disabledErrors) { _ in nil } }

  var isDelivering: Bool {
    state.withLock { state in
      state.pump != .idle || !state.publications.isEmpty
        || state.active.first { $0.phase.isEnded } != nil
    }
  }

  private func outlet<Value>(
    _ path: WritableKeyPath<Outlets, Outlet<Value>?>, _ value: (CommandState) -> sending Value?
  ) -> Signal<Value> {
    state.withLock { state in
      if let outlet = state.outlets[keyPath: path] { return outlet }
      let outlet = Outlet(value(state), on: scheduler)
      state.outlets[keyPath: path] = outlet
      return outlet
    }.signal
  }

  var immediateEnabled: Signal<Bool> {
    immediate(\.immediateEnabled, \.lastImmediateEnabled) { $0.isEnabled }
  }

  var concurrentExecutionAllowed: Signal<Bool> {
    immediate(\.concurrentExecutionAllowed, \.lastConcurrentExecutionAllowed) {
      $0.limit.allowsConcurrentExecution
    }
  }

  /// A signal of changes that are told where they are made.
  ///
  /// - Parameters:
  ///   - last: what its subscribers will have seen.
  ///   - value: what it is about.
  private func immediate(
    _ path: any WritableKeyPath<Outlets, BehaviorSubject<Bool>?> & Sendable,
    _ last: any WritableKeyPath<CommandState, Bool?> & Sendable,
    _ value: @Sendable (CommandState) -> Bool
  ) -> Signal<Bool> {
    let subject = state.withLock { state in
      if let subject = state.outlets[keyPath: path] { return subject }
      let value = value(state)
      state[keyPath: last] = value
      let subject = BehaviorSubject(value)
      state.outlets[keyPath: path] = subject
      return subject
    }
    // Not the subject itself, which could be sent to.
    return Signal(subject)
  }
}
