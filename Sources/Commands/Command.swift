import Reactive

/// A signal block that runs on demand: while the command is enabled, an input starts an execution.
/// Observers can follow all executions through the command's signals. RAC: `RACCommand`.
///
/// Ownership:
///
/// ```
/// Command ──▶ CommandCore ──▶ running and waiting Executions ──▶ ReplayFeed ──▶ subscribers
///    │             │  ▲                  │   │  ▲
///    │             │  └──────────────────┘   │  │
///    │             │                         ▼  │
///    │             │                   subscription ──▶ work, which sends to the Execution
///    │             ├──▶ behavior: the signal block
///    │             ├──▶ properties of its signals ──▶ subscribers
///    │             └──▶ subscription of the enabled condition, which knows the core weakly
/// ```
///
/// The command is the root. Executions retain the core and never the command, so releasing the
/// command ends it, even from inside one of its observers: all its signals complete on the
/// scheduler, waiting executions are cancelled, and running ones continue, retained by their work
/// alone. An execution releases its work when it ends, and the core releases the execution when the
/// work has really ended.
///
/// The command calls no user code while the core's mutex is held. `ExecutionState` has a diagram of
/// the states of an execution.
public final class Command<Input: Sendable, Output: Sendable>: Sendable {
  @usableFromInline let core: CommandCore
  /// Timeout and retries of executions that do not specify their own.
  public let options: ExecutionOptions

  /// A command that executes `signalBlock`. RAC: `initWithEnabled:signalBlock:`.
  ///
  /// - Parameters:
  ///   - name: for messages.
  ///   - enabled: the enabled condition, subscribed at once. The command counts as enabled until it
  ///     has sent; values it sends synchronously count from the start. When it ends, whether with
  ///     an error or not, its last value stays.
  ///   - scheduler: the scheduler on which the command publishes and subscribes work.
  ///   - concurrencyLimit: the maximum number of executions that may run at a time.
  ///   - whenBusy: the policy for an execution that is requested while the limit is reached.
  ///   - replayCapacity: the number of latest values an execution replays to a late subscriber; nil
  ///     for all.
  ///   - options: timeout and retries of executions that do not specify their own.
  ///   - signalBlock: turns an input into the signal that does the work. It is called once for each
  ///     execution: inside `execute` if that admits it, or on the scheduler if it had to wait. If
  ///     it throws, the execution fails with its error.
  @inlinable
  public convenience init(
    name: String? = nil,
    enabled: Signal<Bool>? = nil,
    scheduler: Scheduler = .main,
    concurrencyLimit: ConcurrencyLimit = .serial,
    whenBusy: BusyPolicy = .reject,
    replayCapacity: Int? = nil,
    options: ExecutionOptions = ExecutionOptions(),
    signalBlock: @escaping @Sendable (Input) throws -> Signal<Output>
  ) {
    self.init(
      name: name, enabled: enabled, scheduler: scheduler, concurrencyLimit: concurrencyLimit,
      whenBusy: whenBusy, replayCapacity: replayCapacity, options: options, willEnd: nil,
      signalBlock: signalBlock)
  }

  /// - Parameter willEnd: called with each execution that was admitted or queued when it ends,
  ///   before its subscribers are notified.
  @inlinable
  package init(
    name: String?,
    enabled: Signal<Bool>?,
    scheduler: Scheduler,
    concurrencyLimit: ConcurrencyLimit,
    whenBusy: BusyPolicy,
    replayCapacity: Int?,
    options: ExecutionOptions,
    willEnd: (@Sendable (Execution<Input, Output>, Termination) -> Void)?,
    signalBlock: @escaping @Sendable (Input) throws -> Signal<Output>
  ) {
    core = CommandCore(
      name: name, scheduler: scheduler, policy: whenBusy, limit: concurrencyLimit,
      replayCapacity: replayCapacity,
      behavior: ExecutionBehavior(signalBlock, willEnd: willEnd))
    self.options = options
    // Captures no strong reference to the core: the condition may come from the command's own
    // signals.
    enabled?.observe(
      Observer(next: { [weak core] in core?.setCondition($0) }, end: { _ in }), in: core.condition)
    core.open()
  }

  deinit {
    core.close()
  }

  /// The name of the command, for messages.
  public var name: String? { core.name }

  /// The scheduler on which the command publishes and subscribes work.
  public var scheduler: Scheduler { core.scheduler }

  /// Requests an execution. RAC: `execute:`.
  ///
  /// Admission is one atomic step, even if several threads call at the same time. If the execution
  /// is admitted, the signal block is called at once; then on the scheduler the execution is
  /// published on `executionSignals`, `executing` and `enabled` change, and the work is subscribed,
  /// in this order. If the command is busy, its `whenBusy` decides. The result of a rejected
  /// attempt has failed with the `CommandError` that goes to `disabledErrors`.
  ///
  /// - Parameters:
  ///   - input: the input of the signal block.
  ///   - options: timeout and retries of this execution; nil for the command's.
  /// - Returns: the execution, which the caller need not retain; the running or waiting one if the
  ///   policy is `join` and the command is busy.
  @inlinable
  @discardableResult
  public func execute(
    _ input: Input, options: ExecutionOptions? = nil
  ) -> Execution<Input, Output> {
    let execution = Execution(input, options: options, of: self)
    return attempt(execution) ?? execution
  }

  /// Requests an execution that was made for this command; see `execute`.
  ///
  /// - Returns: the execution that takes its place if the policy is `join`; nil for itself.
  @inlinable
  package func attempt(_ execution: Execution<Input, Output>) -> Execution<Input, Output>? {
    // The command keeps the core, and the execution its entry.
    withoutRetaining(core) { core in
      withoutRetaining(execution.entry) { entry in
        core.start(execution, entry) ? nil : admit(execution)
      }
    }
  }

  /// Requests an execution that is not sure to be admitted; see `attempt`.
  @inlinable
  @inline(never)
  func admit(_ execution: Execution<Input, Output>) -> Execution<Input, Output>? {
    switch core.admit(AnyExecution(execution, execution.entry), by: self) {
    case .admitted:
      core.prepare(execution, execution.entry)
    case .queued(let preempted):
      if let preempted { core.finish(preempted) }
    case .joined(let other):
      return unsafeDowncast(other.object, to: Execution<Input, Output>.self)
    case .rejected(let error):
      execution.end(.error(error))
    }
    return nil
  }

  // MARK: Observation

  /// The executions admitted from now on, on the scheduler. Completes with the command.
  @inlinable
  public var executions: Signal<Execution<Input, Output>> {
    let executions = core.executions
    return Signal { observer, subscription in
      executions.observe(
        Observer(
          next: {
            // Who sends it keeps it.
            withoutRetaining(unsafeDowncast($0.object, to: Execution<Input, Output>.self)) {
              observer.next($0)
            }
          },
          end: observer.end), in: subscription)
    }
  }

  /// As `executions`, with signals that complete instead of failing: errors are on `errors`. RAC:
  /// `executionSignals`.
  @inlinable
  public var executionSignals: Signal<Signal<Output>> {
    executions.map { $0.completing }
  }

  /// Sends true while any execution runs or is still ending its work: the value at once, then each
  /// change, on the scheduler. RAC: `executing`.
  public var executing: Signal<Bool> { core.executing }

  /// Sends true while `execute` would be accepted: the value at once, then each change, on the
  /// scheduler. RAC: `enabled`.
  ///
  /// The value is true if the enabled condition is true, and either the number of running
  /// executions is below the limit or the `whenBusy` policy accepts an execution anyway.
  public var enabled: Signal<Bool> { core.enabled }

  /// Sends the same values as `enabled`, but as soon as the change is made and on the thread that
  /// makes it. RAC: `immediateEnabled`.
  public var immediateEnabled: Signal<Bool> { core.immediateEnabled }

  /// The error of each execution that fails, as a value, on the scheduler; completes with the
  /// command. Cancellation is no error. RAC: `errors`.
  public var errors: Signal<any Error> { core.failures.map { $0.1 } }

  /// The same as `errors`, each with the execution that failed.
  public var failures: Signal<(execution: Execution<Input, Output>, error: any Error)> {
    core.failures.map {
      (unsafeDowncast($0.0.object, to: Execution<Input, Output>.self), $0.1)
    }
  }

  /// The error of each attempt that was rejected, on the scheduler.
  public var disabledErrors: Signal<CommandError> { core.disabledErrors }

  /// The error that `execute` would be rejected with at this moment; nil if it would be accepted.
  public var disabledError: CommandError? { core.disabledError(of: self) }

  /// The executions that run at this moment, in order of admission. RAC: `activeExecutionSignals`.
  public var activeExecutionSignals: [Execution<Input, Output>] { typed(core.active) }

  /// The executions that wait at this moment, the next one first.
  public var queuedExecutions: [Execution<Input, Output>] { typed(core.waiting) }

  private func typed(_ executions: [AnyExecution]) -> [Execution<Input, Output>] {
    executions.map { unsafeDowncast($0.object, to: Execution<Input, Output>.self) }
  }

  /// Subscribes the enabled condition inside `body` if the subscription was postponed. Values it
  /// sends synchronously count from the start, since `enabled` has no observers yet.
  package func opening(_ body: () -> Void) {
    let isUnobserved = core.reopen()
    body()
    if isUnobserved { core.open() }
  }

  /// True while observers still have to be notified of a past change, or while an ended execution
  /// is still ending its work and observers will be notified of that.
  package var isDelivering: Bool { core.isDelivering }

  // MARK: Succession

  /// Takes the place of a command of an earlier definition: that one's executions count against this
  /// one's limit until they have ended, and precede those that wait. They are neither joined nor
  /// cancelled by it. Any thread.
  package func succeed(_ predecessor: Command<Input, Output>) { core.succeed(predecessor.core) }

  /// The number of executions of predecessors that have not ended.
  package var earlierCount: Int { core.earlierCount }

  // MARK: Settings

  /// The maximum number of executions that may run at a time. Raising the limit starts waiting
  /// executions; lowering it leaves running ones alone. Any thread.
  public var concurrencyLimit: ConcurrencyLimit {
    get { core.limit }
    set { core.limit = newValue }
  }

  /// True if more than one execution may run, that is, if the limit is not serial. Setting it makes
  /// the limit unlimited or serial. RAC: `allowsConcurrentExecution`.
  public var allowsConcurrentExecution: Bool {
    get { concurrencyLimit.allowsConcurrentExecution }
    set { core.allowConcurrentExecution(newValue) }
  }

  /// Sends true while more than one execution may run: the value at once, then each change as soon
  /// as it is made and on the thread that makes it. RAC: observing `allowsConcurrentExecution`.
  public var concurrentExecutionAllowed: Signal<Bool> { core.concurrentExecutionAllowed }

  /// The policy for an execution that is requested while the limit is reached. A change applies to
  /// later requests; waiting executions keep their places. Any thread.
  public var whenBusy: BusyPolicy {
    get { core.policy }
    set { core.policy = newValue }
  }

  /// The number of latest values an execution replays to a late subscriber; nil for all.
  public var replayCapacity: Int? { core.replayCapacity }

  /// The limit at once, then each change of it, on the scheduler.
  public var concurrencyLimits: Signal<ConcurrencyLimit> { core.limits }
}
