import Reactive
import Synchronization

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

  /// Makes a change and leaves its publications to the transition that follows.
  func change<Result>(_ change: (inout CommandState) -> sending Result) -> Result {
    let (result, needsSender, succession) = state.withLock { state in
      (change(&state), state.noteImmediateChange(), state.noteSuccession())
    }
    if needsSender { sendImmediate() }
    if let (successor, change) = succession { successor.countEarlier(change) }
    return result
  }

  func transition<Result>(_ change: (inout CommandState) -> sending Result) -> Result {
    let (result, needsTurn, needsSender, succession) = state.withLock { state in
      let result = change(&state)
      return (result, state.noteChanges(), state.noteImmediateChange(), state.noteSuccession())
    }
    if needsTurn { scheduleTurn() }
    if needsSender { sendImmediate() }
    if let (successor, change) = succession { successor.countEarlier(change) }
    return result
  }

  // MARK: Succession

  /// Counts the executions of another command, which this one replaces, until they have ended.
  func succeed(_ predecessor: CommandCore) {
    predecessor.transition { $0.successor = self }
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

  /// Decides whether to admit an execution; makes no calls to user code.
  @usableFromInline
  func admit(
    _ execution: AnyExecution, by command: any UntypedCommand
  ) -> CommandState.Admission {
    transition { $0.admit(execution, by: command) }
  }

  /// Announces an admitted execution after its signal block has returned.
  @usableFromInline
  func announce(_ execution: AnyExecution, _ work: Work) {
    transition { state in
      if case .preparing = execution.entry.phase {
        execution.entry.phase = .ready
        state.announce(execution, work)
      } else {
        // Cancelled meanwhile; its slot was held for the signal block.
        _ = state.release(execution.entry)
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
      state.publish(.closed)
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
