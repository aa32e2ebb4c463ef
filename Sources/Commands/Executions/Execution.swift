import Reactive

/// One execution of a command: a signal of what its work sends.
///
/// It replays to late subscribers all values, or as many as the command's `replayCapacity` says, and
/// its end. Events arrive where the work sends them; the end by `cancel` arrives on the thread that
/// cancels, the end by a timeout on the command's scheduler. RAC: the signal that `execute:` returns.
///
/// An execution that runs belongs to its command; it goes on when nobody else holds it. Dropped
/// commands let go of their running executions, which then belong to their work.
public final class Execution<Input: Sendable, Output: Sendable>: Signal<Output>, @unchecked Sendable
{
  // Unchecked as every signal is; what it adds is immutable.

  /// What the command was asked to work on.
  public let input: Input

  @usableFromInline let entry: ExecutionEntry
  @usableFromInline let core: CommandCore
  @usableFromInline let feed: ReplayFeed<Output>

  @inlinable
  init(_ input: Input, options: ExecutionOptions, core: CommandCore) {
    self.input = input
    self.core = core
    entry = ExecutionEntry(options)
    feed = ReplayFeed(capacity: core.replayCapacity)
    super.init(source: feed.source)
  }

  deinit {
    // Reached while the work runs only if nothing is left that could send an event or cancel.
    entry.subscription.dispose()
  }

  @inlinable
  func subscribe(_ work: Signal<Output>, in subscription: CompoundDisposable) {
    work.observe(
      Observer(
        next: { [feed] in feed.sendNext($0) },
        batch: { [feed] in feed.sendNext($0) },
        end: { self.core.workEnded(AnyExecution(self), $0, subscription) }),
      in: subscription)
  }

  /// The execution as a signal that completes instead of failing.
  @inlinable
  var completing: Signal<Output> {
    Signal { observer, subscription in
      self.observe(
        Observer(
          next: observer.next, batch: observer.batch, end: { _ in observer.end(.completed) }),
        in: subscription)
    }
  }

  @inlinable
  func end(_ termination: Termination) {
    feed.end(termination)
  }
}

extension Execution {
  /// A number that no other execution of the process has; a later one has a greater number.
  public var id: Int { entry.id }

  /// The name of the command.
  public var commandName: String? { core.name }

  /// The command; nil once it was dropped, as an execution does not keep it.
  public var command: (any UntypedCommand)? { core.reference?.command }

  /// Where the execution stands at this moment.
  public var state: ExecutionState { core.phase(of: entry).state }

  /// The error of an execution that has failed or was cancelled.
  public var error: (any Error)? { core.phase(of: entry).error }

  /// How it has ended; nil if it has not.
  package var end: Termination? {
    guard case .ended(_, let error) = core.phase(of: entry) else { return nil }
    return error.map { .error($0) } ?? .completed
  }

  /// The state at once and then each change of it, where it changes; completes with the execution.
  public var states: Signal<ExecutionState> { core.states(of: entry) }

  /// Whether there may be more than one attempt at the work.
  public var mayRetry: Bool { entry.supervision?.options.retry != nil }

  /// Each attempt at the work, the last 1,000 earlier ones too; completes with the execution.
  ///
  /// An execution without retries makes one attempt.
  public var attempts: Signal<Attempt> { core.attempts(of: entry) }

  /// Ends the execution: disposes its work and ends its subscribers with `CommandError.cancelled`.
  ///
  /// Nothing is sent on the command's `errors`. The slot that the execution holds is free once the
  /// work has really ended: asynchronous teardown included, see `CompoundDisposable.addAsync`. Does
  /// nothing if the execution has ended. Any thread.
  public func cancel() {
    core.stop(AnyExecution(self), .cancelled, CommandError.cancelled)
  }
}
