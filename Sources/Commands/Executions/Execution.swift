import Reactive

/// One execution of a command: a signal of the values that its work sends.
///
/// It replays its end and all values, or as many as the command's `replayCapacity` allows, to late
/// subscribers. Events arrive on the thread where the work sends them; the end by `cancel` arrives
/// on the thread that cancels, the end by a timeout on the command's scheduler. RAC: the signal
/// that `execute:` returns.
///
/// The command owns a running execution, so the execution continues without other references. When
/// a command is released, it releases its running executions, which their work owns from then on.
///
/// It is open for the package alone, which makes its executions: a subclass carries what the code
/// that executes knows of it.
open class Execution<Input: Sendable, Output: Sendable>: Signal<Output>, @unchecked Sendable {
  // Unchecked only because its superclass is open: the properties that it adds are immutable.

  /// The input the command was executed with.
  public final let input: Input

  @usableFromInline final let entry: ExecutionEntry
  @usableFromInline final let core: CommandCore

  /// An execution for `Command.attempt`.
  ///
  /// - Parameter options: nil for the command's.
  @inlinable
  package init(
    _ input: Input, options: ExecutionOptions? = nil, of command: Command<Input, Output>
  ) {
    self.input = input
    core = command.core
    entry = ExecutionEntry(options ?? command.options)
    super.init(ReplayFeed(capacity: command.core.replayCapacity))
  }

  deinit {
    // Reached while the work runs only if nothing is left that could send an event or cancel.
    if !entry.isDisposed { entry.dispose() }
  }

  /// The sending end.
  @inlinable
  final var feed: ReplayFeed<Output> { ownFeed.unsafelyUnwrapped }

  /// Subscribes the work.
  ///
  /// - Returns: true if it has ended and the caller has to settle the execution.
  @inlinable
  final func subscribe(_ work: Signal<Output>, in subscription: CompoundDisposable) -> Bool {
    if subscription === entry { return subscribe(work) }
    work.observe(
      Observer(
        next: { [feed] in feed.sendNext($0) },
        batch: { [feed] in feed.sendNext($0) },
        end: { self.core.workEnded(self, self.entry, $0, subscription) }),
      in: subscription)
    return false
  }

  /// Subscribes work that has one attempt. Its closures hold one reference each and so need no
  /// object of their own; the value of a signal of one value needs no closures.
  @inlinable
  @inline(never)
  final func subscribe(_ work: Signal<Output>) -> Bool {
    if let value = work.singleValue {
      return withoutRetaining(entry) { entry in
        feed.sendNext(value)
        guard !entry.isDisposed else { return false }
        return withoutRetaining(core) { $0.end(self, entry, .completed, entry) }
      }
    }
    work.observe(
      Observer(
        next: { [feed] in feed.sendNext($0) },
        batch: { [feed] in feed.sendNext($0) },
        end: { self.core.workEnded(self, self.entry, $0, self.entry) }),
      in: entry)
    return false
  }

  /// The execution as a signal that completes instead of failing.
  @inlinable
  final var completing: Signal<Output> {
    Signal { observer, subscription in
      self.observe(
        Observer(
          next: observer.next, batch: observer.batch, end: { _ in observer.end(.completed) }),
        in: subscription)
    }
  }

  @inlinable
  final func end(_ termination: Termination) {
    feed.end(termination)
  }
}

extension Execution {
  /// A number that is unique in the process; later executions have greater numbers.
  public var id: Int { entry.id }

  /// The name of the command.
  public var commandName: String? { core.name }

  /// The command; nil after it was released, since an execution does not retain it.
  public var command: (any UntypedCommand)? { core.reference?.command }

  /// The current state of the execution.
  public var state: ExecutionState { core.phase(of: entry).state }

  /// The error of an execution that has failed or was cancelled.
  public var error: (any Error)? { core.outcome(of: entry).error }

  /// True once its subscribers have been notified of its end.
  package var hasEnded: Bool { feed.hasEnded }

  /// The execution's terminal event; nil before its end.
  package var end: Termination? {
    let (phase, error) = core.outcome(of: entry)
    guard phase.isEnded else { return nil }
    return error.map { .error($0) } ?? .completed
  }

  /// The current state and then each change, on the thread that makes it; completes with the
  /// execution.
  public var states: Signal<ExecutionState> { core.states(of: entry) }

  /// True if there may be more than one attempt at the work.
  public var mayRetry: Bool { entry.supervision?.options.retry != nil }

  /// Each attempt at the work, including up to 1,000 earlier ones; completes with the execution.
  ///
  /// An execution without retries makes one attempt.
  public var attempts: Signal<Attempt> { core.attempts(of: entry) }

  /// Ends the execution: disposes its work and ends its subscribers with `CommandError.cancelled`.
  ///
  /// The command's `errors` sends nothing. The execution's slot is freed once the work has really
  /// ended, including asynchronous teardown; see `CompoundDisposable.addAsync`. Does nothing if the
  /// execution has ended. Any thread.
  public func cancel() {
    core.stop(AnyExecution(self, entry), .cancelled, CommandError.cancelled)
  }

  /// Ends the execution as `cancel` does, but with an error: something that it needs is gone.
  package func fail(_ error: any Error) {
    core.stop(AnyExecution(self, entry), .failed, error)
  }

  /// Stops the execution's timeout while it waits for something that it does not work on itself, until
  /// `resumeTimeout` is called as often. Any thread.
  package func pauseTimeout() { core.pauseTimeout(of: entry) }

  /// Lets the timeout go on with what is left of it. Any thread.
  package func resumeTimeout() { core.resumeTimeout(of: AnyExecution(self, entry)) }

  /// Runs `action` once the work of an execution that has ended is over, including asynchronous
  /// teardown: at once, or on the thread that ends the last of it.
  package func whenTornDown(_ action: @escaping @Sendable () -> Void) {
    entry.whenTornDown(action)
  }
}
