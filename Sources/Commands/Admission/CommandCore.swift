import Reactive

/// The state machine of a command, independent of its input and output types.
///
/// Every transition is one critical section; its effects run after the mutex is released. One job
/// at a time makes the publications on the command's scheduler. `immediateEnabled` is sent by the
/// first thread that finds no other thread sending.
@usableFromInline
final class CommandCore: Sendable {
  @usableFromInline let name: String?
  @usableFromInline let scheduler: Scheduler
  @usableFromInline let replayCapacity: Int?
  @usableFromInline let behavior: ExecutionBehavior
  /// The subscription of the enabled condition.
  @usableFromInline let condition = CompoundDisposable()
  let state: SharedCommandState
  /// The scheduler, if it is a main one; kept by `scheduler`.
  let main: Unmanaged<MainScheduler>?

  @usableFromInline
  init(
    name: String?, scheduler: Scheduler, policy: BusyPolicy, limit: ConcurrencyLimit,
    replayCapacity: Int?, behavior: ExecutionBehavior
  ) {
    self.name = name
    self.scheduler = scheduler
    self.replayCapacity = replayCapacity
    self.behavior = behavior
    main = (scheduler as? MainScheduler).map(Unmanaged.passUnretained)
    state = SharedCommandState(CommandState(policy: policy, limit: limit))
  }

  // MARK: Transitions

  /// Makes a change and leaves its publications to the transition that follows.
  func change<Result>(_ change: (inout CommandState) -> sending Result) -> Result {
    let (result, effects) = state.withLock { state in
      (change(&state), state.noteEffects())
    }
    if let effects { carryOut(effects) }
    return result
  }

  func transition<Result>(_ change: (inout CommandState) -> sending Result) -> Result {
    let (result, needsTurn, effects) = state.withLock { state in
      let result = change(&state)
      return (result, state.noteChanges(), state.noteEffects())
    }
    if needsTurn { scheduleTurn() }
    if let effects { carryOut(effects) }
    return result
  }

  @inline(never)
  func carryOut(_ effects: CommandState.Effects) {
    if effects.needsSender { sendImmediate() }
    if let (successor, change) = effects.succession { successor.countEarlier(change) }
  }

  // MARK: Succession

  /// Counts the executions of another command, which this one replaces, until they have ended.
  func succeed(_ predecessor: CommandCore) {
    predecessor.transition { state in
      state.successor = self
      state.hasWatchers = true
    }
  }

  private func countEarlier(_ change: Int) {
    transition { state in
      state.earlier += change
      state.admitWaiting()
    }
  }

  /// The number of executions of predecessors that have not ended.
  var earlierCount: Int { state.withLock { $0.earlier } }

  /// Notes that the enabled condition has been subscribed.
  @usableFromInline
  func open() {
    transition { $0.isOpening = false }
  }

  /// Prepares for a late subscription of the condition.
  ///
  /// - Returns: true if `enabled` has no observers yet, so that `open` has to follow.
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

  /// Admits an execution, calls its signal block and announces it, if that is all there is to do.
  /// False if `admit` has to decide.
  @usableFromInline
  func start(_ execution: any AnyObject & Sendable, _ entry: ExecutionEntry) -> Bool {
    guard admitAtOnce(execution, entry) else { return false }
    prepare(execution, entry)
    return true
  }

  /// Admits an execution if nothing that anybody observes changes before it is announced.
  private func admitAtOnce(_ execution: any AnyObject & Sendable, _ entry: ExecutionEntry) -> Bool {
    state.withLock { state in
      guard state.hasFreeSlot, state.reference != nil, !state.isOpening, !state.hasWatchers else {
        return false
      }
      entry.phase = .preparing
      state.active.append(AnyExecution(execution, entry))
      return true
    }
  }

  /// Decides whether to admit an execution; makes no calls to user code.
  @usableFromInline
  func admit(
    _ execution: AnyExecution, by command: any UntypedCommand
  ) -> CommandState.Admission {
    transition { $0.admit(execution, by: command) }
  }

  /// Calls the signal block of an admitted execution and then announces it.
  @usableFromInline
  func prepare(_ execution: any AnyObject & Sendable, _ entry: ExecutionEntry) {
    // Moved into the publication.
    var work: Work? = Work(behavior.makeWork(execution))
    transition { state in
      if case .preparing = entry.phase {
        entry.phase = .ready
        state.announce(AnyExecution(execution, entry), entry, work.take())
      } else {
        // Cancelled meanwhile; its slot was held for the signal block.
        _ = state.release(entry)
        state.admitWaiting()
      }
    }
  }

  // MARK: End of life

  /// Ends the command after it was released: cancels waiting executions, leaves running ones to
  /// their work, and completes all signals once earlier changes are published.
  @usableFromInline
  func close() {
    condition.dispose()
    var running = PlacedList<AnyExecution>()
    let preempted = state.withLock { state in
      let preempted = state.queue.all.compactMap {
        state.claim($0, .cancelled, CommandError.cancelled)
      }
      state.publish(Publication(.closed))
      state.isClosed = true
      // Released outside the mutex.
      running = state.active
      state.active = PlacedList()
      return preempted
    }
    withExtendedLifetime(running) {
      for preempted in preempted { finish(preempted) }
      transition { _ in }
    }
  }
}
