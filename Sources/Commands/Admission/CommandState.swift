import Reactive

/// All mutable state of a command, as one value under one mutex.
///
/// Two counts of executions are kept apart. `active` holds the executions that have a slot; it
/// decides about admission and `immediateEnabled`. `announced` is the count that observers see: an
/// execution counts from its publication until its subscribers have been notified of its end. It
/// decides about `executing` and `enabled`.
@usableFromInline
struct CommandState {
  var policy: BusyPolicy
  var limit: ConcurrencyLimit
  var condition = true
  /// The executions that hold a slot, in order of admission.
  var active = PlacedList<AnyExecution>()
  /// The executions that wait for a slot.
  var queue = PlacedList<AnyExecution>()
  var announced = 0
  /// The number of executions of predecessors that have a slot or wait for one: they come first.
  var earlier = 0
  /// The command that has taken over, and how many executions it counts of this one.
  var successor: CommandCore?
  var succeeded = 0
  /// True once there is a successor, or an observer of what is sent where it changes; few commands
  /// have either.
  var hasWatchers = false
  /// True while the condition is being subscribed. There are no observers yet, so its values count
  /// from the start.
  var isOpening = true
  var isClosed = false
  /// The reference that the command's errors and executions hold; created for the first of them.
  var reference: CommandReference?

  var publications = Queue<Publication>()
  var pump = Pump.idle
  /// True while the pump makes a publication.
  var isPublishing = false
  /// The subscribers of properties that came or went meanwhile.
  var postponed: [any SubscriptionChange] = []
  /// True once the end of the command is being published; later subscribers complete at once.
  var hasCompleted = false
  /// The values that observers will have seen once all publications are made.
  var lastExecuting = false
  var lastEnabled = true
  /// The values that observers have been sent, or are being sent.
  var shownExecuting = false
  var shownEnabled = true
  var shownLimit: ConcurrencyLimit

  /// The last value that subscribers of `immediateEnabled` will have seen; nil before its first
  /// use.
  var lastImmediateEnabled: Bool?
  /// The last value that subscribers of `concurrentExecutionAllowed` will have seen; nil before its
  /// first use.
  var lastConcurrentExecutionAllowed: Bool?
  /// The changes that have not been sent to them.
  var immediate = Queue<ImmediateChange>()
  var isSendingImmediate = false

  var properties = CommandProperties()

  /// The state of the job on the scheduler that makes the publications.
  enum Pump {
    case idle
    case scheduled
  }

  init(policy: BusyPolicy, limit: ConcurrencyLimit) {
    self.policy = policy
    self.limit = limit
    shownLimit = limit
  }

  // MARK: Rules

  /// Returns true if an execution would be accepted while `busy` others count.
  func accepts(whileBusy busy: Int) -> Bool {
    guard condition else { return false }
    // Compared first: the limit is rarely reached.
    if busy + earlier < limit.count && queue.isEmpty { return true }
    return switch policy {
    case .reject: false
    case .queue(let limit): queue.count < limit
    case .restart, .join: true
    }
  }

  var isEnabled: Bool { accepts(whileBusy: active.count) }

  /// True if an execution requested now would run and not wait.
  var hasFreeSlot: Bool { condition && active.count + earlier < limit.count && queue.isEmpty }

  mutating func disabledError(of command: any UntypedCommand) -> CommandError? {
    isEnabled ? nil : .notEnabled(command: refer(to: command), reason: disabledReason)
  }

  @discardableResult
  private mutating func refer(to command: any UntypedCommand) -> CommandReference {
    if let reference { return reference }
    let new = CommandReference(command)
    reference = new
    return new
  }

  private var disabledReason: DisabledReason {
    guard condition else { return .condition }
    if case .queue(let limit) = policy { return .queueFull(limit: limit) }
    return .busy(limit: limit)
  }

  mutating func setLimit(_ new: ConcurrencyLimit) {
    guard limit != new else { return }
    limit = new
    var change = Publication.Change()
    change.limit = new
    publish(Publication(.changed, change))
    admitWaiting()
  }

  // MARK: Admission

  @usableFromInline
  enum Admission: Sendable {
    case admitted
    /// Waits for its turn; the preempted execution made way for it.
    case queued(Preempted?)
    case joined(AnyExecution)
    case rejected(CommandError)
  }

  mutating func admit(_ execution: AnyExecution, by command: any UntypedCommand) -> Admission {
    refer(to: command)
    if let error = disabledError(of: command) {
      execution.withEntry { entry in
        entry.phase = .ended(.failed)
        entry.error = error
      }
      publish(Publication(.rejected(error)))
      return .rejected(error)
    }
    if hasFreeSlot {
      execution.withEntry { $0.phase = .preparing }
      active.append(execution)
      return .admitted
    }
    var preempted: Preempted?
    if case .join = policy,
      let other = queue.last ?? active.last(where: { !$0.entry.phase.isEnded })
    {
      return .joined(other)
    }
    if case .restart = policy,
      let old = active.first(where: { !$0.entry.phase.isEnded }) ?? queue.first
    {
      preempted = claim(old, .cancelled, CommandError.cancelled)
    }
    queue.append(execution)
    return .queued(preempted)
  }

  // MARK: Ends

  /// The references that an execution releases when it ends, outside the mutex: releasing a subject
  /// in its work ends that subject's subscribers.
  @usableFromInline
  struct Ending: Sendable {
    let changes: BehaviorSubject<Void>?
    let work: Work?
  }

  /// An execution that was ended from outside, and its phase before that. Its subscribers and its
  /// work have not been notified yet.
  @usableFromInline
  struct Preempted: Sendable {
    let execution: AnyExecution
    let phase: ExecutionEntry.Phase
    /// True if its work has been started.
    let isStarted: Bool
    let error: any Error
    let ending: Ending
  }

  /// Ends an execution whose work has ended; nil if something else has ended it.
  mutating func end(
    _ execution: any AnyObject & Sendable, _ entry: ExecutionEntry, _ termination: Termination,
    freesSlot: Bool
  ) -> Ending? {
    guard case .ready = entry.phase else { return nil }
    switch termination {
    case .completed: entry.phase = .ended(.completed)
    case .error(let error):
      entry.phase = .ended(.failed)
      entry.error = error
      publish(Publication(.failed(AnyExecution(execution, entry), error)))
    }
    // The caller retains the entry that is removed, here and below.
    if freesSlot { _ = release(entry) }
    return ending(of: entry)
  }

  /// Ends an execution from outside; nil if it has ended.
  mutating func claim(
    _ execution: AnyExecution, _ end: ExecutionState, _ error: any Error
  ) -> Preempted? {
    let entry = execution.entry
    let phase = entry.phase
    var isStarted = false
    switch phase {
    case .ended: return nil
    case .queued: _ = queue.remove(at: entry.place)
    case .ready:
      isStarted = entry.didClaimAfterStart()
      if !isStarted { _ = release(entry) }
    case .preparing: break
    }
    entry.phase = .ended(end)
    entry.error = error
    if end == .failed { publish(Publication(.failed(execution, error))) }
    return Preempted(
      execution: execution, phase: phase, isStarted: isStarted, error: error,
      ending: ending(of: entry))
  }

  /// Settles an execution whose slot is free and whose subscribers have been notified of its end.
  mutating func settle(_ wasAnnounced: Bool) {
    if wasAnnounced { announced -= 1 }
    admitWaiting()
  }

  private func ending(of entry: ExecutionEntry) -> Ending {
    Ending(changes: entry.changes, work: entry.supervision?.work.withLock { $0.take() })
  }

  // MARK: Successors

  /// Returns the successor and the change of the number of executions that it counts; nil if there
  /// is none.
  private mutating func noteSuccession() -> (successor: CommandCore, change: Int)? {
    guard let successor else { return nil }
    let count = active.count + queue.count + earlier
    guard count != succeeded else { return nil }
    defer { succeeded = count }
    return (successor, count - succeeded)
  }

  // MARK: Turns

  /// Gives slots to waiting executions, as long as there are free ones.
  mutating func admitWaiting() {
    while condition, max(active.count, announced) + earlier < limit.count,
      let execution = queue.popFirst()
    {
      let entry = execution.entry
      entry.phase = .ready
      active.append(execution)
      announce(execution, entry, nil)
    }
  }

  /// Notifies observers of an execution that has a slot.
  mutating func announce(
    _ execution: consuming AnyExecution, _ entry: ExecutionEntry, _ work: consuming Work?
  ) {
    entry.isAnnounced = true
    announced += 1
    publish(Publication(.admitted(execution, work), takeChange()))
  }

  /// Takes back the slot of an execution whose work has ended.
  ///
  /// - Returns: the execution that held it, to be released outside the mutex.
  mutating func release(_ entry: ExecutionEntry) -> AnyExecution? {
    // A closed command has released all executions.
    isClosed ? nil : active.remove(at: entry.place)
  }

  // MARK: Publications

  mutating func publish(_ publication: consuming Publication) {
    if !isClosed { publications.append(publication) }
  }

  /// Returns the changes since the last publication.
  private mutating func takeChange() -> Publication.Change {
    var change = Publication.Change()
    let executing = announced > 0
    let enabled = accepts(whileBusy: announced)
    if executing != lastExecuting { change.executing = executing }
    if enabled != lastEnabled { change.enabled = enabled }
    lastExecuting = executing
    lastEnabled = enabled
    return change
  }

  /// Notes the values that observers are being sent.
  mutating func show(_ change: Publication.Change) {
    if let executing = change.executing { shownExecuting = executing }
    if let enabled = change.enabled { shownEnabled = enabled }
    if let limit = change.limit { shownLimit = limit }
  }

  /// Notes the changes of a transition. True if there is a publication and no job to make it.
  mutating func noteChanges() -> Bool {
    if isOpening {
      lastEnabled = isEnabled
      shownEnabled = lastEnabled
      return false
    }
    guard !isClosed || !publications.isEmpty else { return false }
    if !isClosed {
      let change = takeChange()
      if !change.isEmpty { publications.append(Publication(.changed, change)) }
    }
    guard pump == .idle, !publications.isEmpty else { return false }
    pump = .scheduled
    return true
  }

  /// What has to be done after a transition besides the publications.
  struct Effects: Sendable {
    let needsSender: Bool
    let succession: (successor: CommandCore, change: Int)?
  }

  /// Notes what concerns a successor and observers of what is sent where it changes; nil if there
  /// are none.
  mutating func noteEffects() -> Effects? {
    hasWatchers
      ? Effects(needsSender: noteImmediateChange(), succession: noteSuccession()) : nil
  }

  /// Notes changes that are sent where they are made. True if there is one to send and no thread
  /// sends already.
  private mutating func noteImmediateChange() -> Bool {
    guard !isClosed else { return false }
    if let last = lastImmediateEnabled, isEnabled != last {
      lastImmediateEnabled = !last
      immediate.append(.enabled(!last))
    }
    if let last = lastConcurrentExecutionAllowed, limit.allowsConcurrentExecution != last {
      lastConcurrentExecutionAllowed = !last
      immediate.append(.concurrentExecutionAllowed(!last))
    }
    guard !immediate.isEmpty, !isSendingImmediate else { return false }
    isSendingImmediate = true
    return true
  }
}
