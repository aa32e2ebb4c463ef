import Reactive

/// A signal block behind a gate: an input becomes an execution when the command is enabled, and what
/// happens to all its executions can be observed. RAC: `RACCommand`.
///
/// Who owns whom:
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
/// The command is the root. Executions know the core and never the command, so that dropping the
/// command, also inside one of its observers, is its end: all its signals complete on the scheduler,
/// executions that wait are cancelled, and those that run go on, held by their work alone. An
/// execution lets go of its work when it ends, and the core lets go of the execution when the work
/// has really ended.
///
/// Nothing of it is called while the mutex of the core is held. The states of an execution are drawn
/// at `ExecutionState`.
public final class Command<Input: Sendable, Output: Sendable>: Sendable {
  @usableFromInline let core: CommandCore
  /// Timeout and retries of executions that do not ask for others.
  public let options: ExecutionOptions

  /// A command that executes `signalBlock`. RAC: `initWithEnabled:signalBlock:`.
  ///
  /// - Parameters:
  ///   - name: for messages.
  ///   - enabled: the enabled condition, subscribed at once. The command counts as enabled until it
  ///     has sent; what it sends synchronously counts from the start. When it ends, whether with an
  ///     error or not, its last value stays.
  ///   - scheduler: where the command publishes and where work is subscribed.
  ///   - concurrencyLimit: how many executions may run at a time.
  ///   - whenBusy: what happens to an execution that is asked for while as many run.
  ///   - replayCapacity: how many of its latest values an execution replays to a late subscriber; nil
  ///     for all.
  ///   - options: timeout and retries of executions that do not ask for others.
  ///   - signalBlock: turns an input into the signal that does the work. It is called once for each
  ///     execution: inside `execute` when that admits it, on the scheduler when it had to wait. If it
  ///     throws, the execution fails with its error.
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

  /// - Parameter willEnd: called with each execution that was admitted or queued when it ends, before
  ///   its subscribers are told.
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
    // Not a reference to the core: a condition may come from the command's own signals.
    enabled?.observe(
      Observer(next: { [weak core] in core?.setCondition($0) }, end: { _ in }), in: core.condition)
    core.open()
  }

  deinit {
    core.close()
  }

  /// The name of the command, for messages.
  public var name: String? { core.name }

  /// Where the command publishes and where work is subscribed.
  public var scheduler: Scheduler { core.scheduler }

  /// Asks for an execution. RAC: `execute:`.
  ///
  /// Admission is one atomic step, whatever the number of threads that call. If the execution is
  /// admitted, the signal block is called at once; then on the scheduler the execution is published
  /// on `executionSignals`, `executing` and `enabled` change, and the work is subscribed, in this
  /// order. If the command is busy, its `whenBusy` decides. The result of a rejected attempt has
  /// failed with the `CommandError` that goes to `disabledErrors`.
  ///
  /// - Parameters:
  ///   - input: what the signal block gets.
  ///   - options: timeout and retries of this execution; nil for the command's.
  /// - Returns: the execution, which need not be kept; the running or waiting one if the policy is
  ///   `join` and the command is busy.
  @inlinable
  @discardableResult
  public func execute(
    _ input: Input, options: ExecutionOptions? = nil
  ) -> Execution<Input, Output> {
    let execution = Execution<Input, Output>(input, options: options ?? self.options, core: core)
    let erased = AnyExecution(execution)
    switch core.admit(erased, by: self) {
    case .admitted:
      core.announce(erased, Work(core.behavior.makeWork(execution)))
    case .queued(let preempted):
      if let preempted { core.finish(preempted) }
    case .joined(let other):
      return unsafeDowncast(other.object, to: Execution<Input, Output>.self)
    case .rejected(let error):
      execution.end(.error(error))
    }
    return execution
  }

  // MARK: What can be observed

  /// The executions that are admitted from now on, on the scheduler. Completes with the command.
  @inlinable
  public var executions: Signal<Execution<Input, Output>> {
    let executions = core.executions
    return Signal { observer, subscription in
      executions.observe(
        Observer(
          next: { observer.next(unsafeDowncast($0.object, to: Execution<Input, Output>.self)) },
          end: observer.end), in: subscription)
    }
  }

  /// As `executions`, with signals that complete instead of failing: errors are on `errors`. RAC:
  /// `executionSignals`.
  @inlinable
  public var executionSignals: Signal<Signal<Output>> {
    executions.map(\.completing)
  }

  /// Whether any execution runs or is still ending its work: the value at once, then each change, on
  /// the scheduler. RAC: `executing`.
  public var executing: Signal<Bool> { core.executing }

  /// Whether `execute` would be taken: the value at once, then each change, on the scheduler. RAC:
  /// `enabled`.
  ///
  /// The enabled condition is true, and fewer executions run than may or the `whenBusy` policy takes
  /// one nevertheless.
  public var enabled: Signal<Bool> { core.enabled }

  /// As `enabled`, but on the thread that makes the change, as soon as it is made. RAC:
  /// `immediateEnabled`.
  public var immediateEnabled: Signal<Bool> { core.immediateEnabled }

  /// The error of each execution that fails, as a value, on the scheduler; completes with the
  /// command. Cancellation is no error. RAC: `errors`.
  public var errors: Signal<any Error> { core.failures.map { $0.1 } }

  /// As `errors`, each with the execution that failed.
  public var failures: Signal<(execution: Execution<Input, Output>, error: any Error)> {
    core.failures.map {
      (unsafeDowncast($0.0.object, to: Execution<Input, Output>.self), $0.1)
    }
  }

  /// The error of each attempt that was rejected, on the scheduler.
  public var disabledErrors: Signal<CommandError> { core.disabledErrors }

  /// The error that `execute` would be rejected with at this moment; nil if it would be taken.
  public var disabledError: CommandError? { core.disabledError(of: self) }

  /// The executions that run at this moment, in order of admission. RAC: `activeExecutionSignals`.
  public var activeExecutionSignals: [Execution<Input, Output>] { typed(core.active) }

  /// The executions that wait at this moment, the next one first.
  public var queuedExecutions: [Execution<Input, Output>] { typed(core.waiting) }

  private func typed(_ executions: [AnyExecution]) -> [Execution<Input, Output>] {
    executions.map { unsafeDowncast($0.object, to: Execution<Input, Output>.self) }
  }

  /// Subscribes the enabled condition inside `body`, when that was put off: what it sends synchronously
  /// counts from the start, as nobody has observed `enabled` yet.
  package func opening(_ body: () -> Void) {
    let isUnobserved = core.reopen()
    body()
    if isUnobserved { core.open() }
  }

  /// Whether observers are still to be told of something that has happened, or an execution that has
  /// ended is still ending its work, which they will be told of.
  package var isDelivering: Bool { core.isDelivering }

  // MARK: Settings

  /// How many executions may run at a time. A greater limit lets waiting executions start, a smaller
  /// one leaves running ones alone. Any thread.
  public var concurrencyLimit: ConcurrencyLimit {
    get { core.limit }
    set { core.limit = newValue }
  }

  /// Whether more than one execution may run: the limit is not serial. Changing it makes the limit
  /// unlimited or serial. RAC: `allowsConcurrentExecution`.
  public var allowsConcurrentExecution: Bool {
    get { concurrencyLimit.allowsConcurrentExecution }
    set { core.allowConcurrentExecution(newValue) }
  }

  /// Whether more than one execution may run: the value at once, then each change on the thread that
  /// makes it, as soon as it is made. RAC: observing `allowsConcurrentExecution`.
  public var concurrentExecutionAllowed: Signal<Bool> { core.concurrentExecutionAllowed }

  /// What happens to an execution that is asked for while as many run as may. A change concerns those
  /// asked for later; executions that wait keep their places. Any thread.
  public var whenBusy: BusyPolicy {
    get { core.policy }
    set { core.policy = newValue }
  }

  /// How many of its latest values an execution replays to a late subscriber; nil for all.
  public var replayCapacity: Int? { core.replayCapacity }

  /// The limit at once, then each change of it, on the scheduler.
  public var concurrencyLimits: Signal<ConcurrencyLimit> { core.limits }
}
