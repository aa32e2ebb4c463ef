import Reactive
import Synchronization

/// The state machine of a command, free of the types of its input and output.
///
/// Every transition is one critical section; what follows from it is done after the mutex is free:
/// publications by one job at a time on the command's scheduler, `immediateEnabled` by whoever finds
/// nobody sending.
@usableFromInline
final class CommandCore: Sendable {
  @usableFromInline let name: String?
  @usableFromInline let scheduler: Scheduler
  @usableFromInline let replayCapacity: Int?
  @usableFromInline let behavior: ExecutionBehavior
  /// The subscription of the enabled condition.
  @usableFromInline let condition = CompoundDisposable()
  let state: Mutex<CommandState>
  let main: MainScheduler?

  @usableFromInline
  init(
    name: String?, scheduler: Scheduler, policy: BusyPolicy, limit: ConcurrencyLimit,
    replayCapacity: Int?, behavior: ExecutionBehavior
  ) {
    self.name = name
    self.scheduler = scheduler
    self.replayCapacity = replayCapacity
    self.behavior = behavior
    main = scheduler as? MainScheduler
    state = Mutex(CommandState(policy: policy, limit: limit))
  }

  // MARK: Transitions

  /// A change whose publications are due later, with the transition that follows it.
  func change<Result>(_ change: (inout CommandState) -> sending Result) -> Result {
    let (result, needsSender) = state.withLock { state in
      (change(&state), state.noteImmediateChange())
    }
    if needsSender { sendImmediate() }
    return result
  }

  func transition<Result>(_ change: (inout CommandState) -> sending Result) -> Result {
    let (result, needsTurn, needsSender) = state.withLock { state in
      let result = change(&state)
      return (result, state.noteChanges(), state.noteImmediateChange())
    }
    if needsTurn { scheduleTurn() }
    if needsSender { sendImmediate() }
    return result
  }

  /// The enabled condition has been subscribed.
  @usableFromInline
  func open() {
    transition { $0.isOpening = false }
  }

  /// The condition is to be subscribed, later than usual.
  ///
  /// - Returns: whether nobody has observed `enabled`, so that `open` is to follow.
  func reopen() -> Bool {
    state.withLock { state in
      guard state.properties.enabled == nil else { return false }
      state.isOpening = true
      return true
    }
  }

  @usableFromInline
  func setCondition(_ isTrue: Bool) {
    transition { state in
      state.condition = isTrue
      state.admitWaiting()
    }
  }

  @usableFromInline
  var limit: ConcurrencyLimit {
    get { state.withLock { $0.limit } }
    set {
      transition { $0.setLimit(newValue) }
    }
  }

  func allowConcurrentExecution(_ isAllowed: Bool) {
    transition { state in
      guard state.limit.allowsConcurrentExecution != isAllowed else { return }
      state.setLimit(isAllowed ? .unlimited : .serial)
    }
  }

  @usableFromInline
  var policy: BusyPolicy {
    get { state.withLock { $0.policy } }
    set { transition { $0.policy = newValue } }
  }

  // MARK: Admission

  /// Decides about an execution; calls nobody.
  @usableFromInline
  func admit(
    _ execution: AnyExecution, by command: any UntypedCommand
  ) -> CommandState.Admission {
    transition { $0.admit(execution, by: command) }
  }

  /// The signal block of an admitted execution has returned.
  @usableFromInline
  func announce(_ execution: AnyExecution, _ work: Work) {
    transition { state in
      if case .preparing = execution.entry.phase {
        execution.entry.phase = .ready
        state.announce(execution, work)
      } else {
        // Cancelled meanwhile; its slot was held for the block.
        _ = state.release(execution.entry)
        state.admitWaiting()
      }
    }
  }

  // MARK: End of life

  /// The command is gone: those who wait are cancelled, those who run belong to their work, and all
  /// signals complete once what has happened before is published.
  @usableFromInline
  func close() {
    condition.dispose()
    var running = ExecutionList()
    let preempted = state.withLock { state in
      let preempted = state.queue.all.compactMap {
        state.claim($0, .cancelled, CommandError.cancelled)
      }
      state.publish(.closed)
      state.isClosed = true
      // Released after the mutex.
      running = state.active
      state.active = ExecutionList()
      return preempted
    }
    withExtendedLifetime(running) {
      for preempted in preempted { finish(preempted) }
      transition { _ in }
    }
  }
}
