import Reactive

/// The queries of a command, and its signals.
extension CommandCore {
  func phase(of entry: ExecutionEntry) -> ExecutionEntry.Phase {
    state.withLock { _ in entry.phase }
  }

  /// The phase of an execution, and its error if it has ended with one.
  func outcome(of entry: ExecutionEntry) -> (phase: ExecutionEntry.Phase, error: (any Error)?) {
    state.withLock { _ in (entry.phase, entry.error) }
  }

  /// Returns true if an execution has or had a slot.
  func wasAdmitted(_ entry: ExecutionEntry) -> Bool { state.withLock { _ in entry.isAnnounced } }

  /// The subject that notifies of changes of an execution, and a flag that is true if no more can
  /// follow.
  func watch(_ entry: ExecutionEntry) -> (BehaviorSubject<Void>, hasEnded: Bool) {
    state.withLock { _ in
      let changes = entry.changes ?? BehaviorSubject(())
      entry.changes = changes
      return (changes, entry.phase.isEnded)
    }
  }

  @usableFromInline
  var active: [AnyExecution] {
    // A stopped execution holds its slot, but no longer runs.
    state.withLock { $0.active.all.filter { !$0.entry.phase.isEnded } }
  }

  @usableFromInline
  var waiting: [AnyExecution] { state.withLock { $0.queue.all } }

  /// The command as errors and executions refer to it.
  var reference: CommandReference? { state.withLock { $0.reference } }

  func disabledError(of command: any UntypedCommand) -> CommandError? {
    state.withLock { $0.disabledError(of: command) }
  }

  @usableFromInline
  var executions: Signal<AnyExecution> { property(\.executions) }

  var executing: Signal<Bool> { property(\.executing) { $0.shownExecuting } }

  var enabled: Signal<Bool> { property(\.enabled) { $0.shownEnabled } }

  var limits: Signal<ConcurrencyLimit> { property(\.limit) { $0.shownLimit } }

  var failures: Signal<(AnyExecution, any Error)> { property(\.failures) }

  var disabledErrors: Signal<CommandError> { property(\.disabledErrors) }

  var isDelivering: Bool {
    state.withLock { state in
      state.pump != .idle || !state.publications.isEmpty
        || state.active.first { $0.entry.phase.isEnded } != nil
    }
  }

  private func property<Value>(
    _ path: WritableKeyPath<CommandProperties, CommandProperty<Value>?>,
    _ value: (@Sendable (CommandState) -> Value)? = nil
  ) -> Signal<Value> {
    state.withLock { state in
      if let property = state.properties[keyPath: path] { return property }
      let property = CommandProperty(of: self.state, value, on: scheduler)
      state.properties[keyPath: path] = property
      return property
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

  /// A signal of changes that are sent where they are made.
  ///
  /// - Parameters:
  ///   - last: the last value that its subscribers will have seen.
  ///   - value: the value it sends.
  private func immediate(
    _ path: any WritableKeyPath<CommandProperties, BehaviorSubject<Bool>?> & Sendable,
    _ last: any WritableKeyPath<CommandState, Bool?> & Sendable,
    _ value: @Sendable (CommandState) -> Bool
  ) -> Signal<Bool> {
    let subject = state.withLock { state in
      if let subject = state.properties[keyPath: path] { return subject }
      let value = value(state)
      state[keyPath: last] = value
      let subject = BehaviorSubject(value)
      state.properties[keyPath: path] = subject
      state.hasWatchers = true
      return subject
    }
    // The subject itself is not returned, because callers could send to it.
    return Signal(subject)
  }
}
