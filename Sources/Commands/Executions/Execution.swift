import Reactive
import Synchronization

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
  // Unchecked as every signal is; what it adds is immutable or a mutex.

  /// What the command was asked to work on.
  public let input: Input

  let ticket: Ticket
  private let origin: Origin<Input, Output>
  private let subject: ReplaySubject<Output>
  private let stateChanges = Mutex<BehaviorSubject<Void>?>(nil)

  init(_ input: Input, options: ExecutionOptions, origin: Origin<Input, Output>) {
    self.input = input
    self.origin = origin
    ticket = Ticket(options)
    subject = ReplaySubject(capacity: origin.replayCapacity)
    super.init(subject)
  }

  deinit {
    // Reached while the work runs only if nothing is left that could send an event or cancel.
    ticket.subscription.dispose()
  }

  /// A number that no other execution of the process has; a later one has a greater number.
  public var id: Int { ticket.id }

  /// The name of the command.
  public var command: String? { origin.core.name }

  /// Where the execution stands at this moment.
  public var state: ExecutionState { origin.core.phase(of: ticket).state }

  /// The error of an execution that has failed or was cancelled.
  public var error: (any Error)? { origin.core.phase(of: ticket).error }

  /// The state at once and then each change of it, where it changes; completes with the execution.
  public var states: Signal<ExecutionState> {
    let changes = stateChanges.withLock { stored in
      let changes = stored ?? BehaviorSubject(())
      stored = changes
      return changes
    }
    // One that is made after the end would wait in vain.
    if state.isEnded { changes.sendCompleted() }
    let current: @Sendable () -> ExecutionState = { [core = origin.core, ticket] in
      core.phase(of: ticket).state
    }
    return Signal { observer, subscription in
      // The state is read at each change, so that it never goes back whoever reports first.
      let last = Mutex<ExecutionState?>(nil)
      changes.observe(
        Observer(
          next: {
            let state = current()
            let isNew = last.withLock { last in
              defer { last = state }
              return last != state
            }
            if isNew { observer.next(state) }
          }, end: observer.end), in: subscription)
    }
  }

  /// Each attempt at the work, the earlier ones too; completes with the execution.
  ///
  /// An execution without retries makes one attempt.
  public var attempts: Signal<Attempt> {
    if let supervision = ticket.supervision { return Signal(supervision.attempts) }
    let wasStarted: @Sendable () -> Bool = { [core = origin.core, ticket] in
      core.wasStarted(ticket)
    }
    return Signal { [states] observer, subscription in
      let isAnnounced = Atomic<Bool>(false)
      states.observe(
        Observer(
          next: { _ in
            guard wasStarted(), !isAnnounced.exchange(true, ordering: .relaxed) else { return }
            observer.next(Attempt(number: 1, cause: nil, delay: .zero))
          }, end: observer.end), in: subscription)
    }
  }

  /// Ends the execution: disposes its work and ends its subscribers with `CommandError.cancelled`.
  ///
  /// Nothing is sent on the command's `errors`. The slot that the execution holds is free once the
  /// work has really ended: asynchronous teardown included, see `CompoundDisposable.addAsync`. Does
  /// nothing if the execution has ended. Any thread.
  public func cancel() {
    origin.core.stop(self, .cancelled, CommandError.cancelled)
  }
}

extension Execution: ExecutionBody {
  func makeWork() -> AnyObject {
    do {
      return try origin.signalBlock(input)
    } catch {
      return Signal<Output> { observer, _ in observer.end(.error(error)) }
    }
  }

  func repeatable(_ work: AnyObject) -> AnyObject {
    Signal(unsafeDowncast(work, to: Signal<Output>.self))
  }

  func publish() {
    origin.executions.sendNext(self)
  }

  func subscribe(_ work: AnyObject, in subscription: CompoundDisposable) {
    unsafeDowncast(work, to: Signal<Output>.self).observe(
      Observer(
        next: { [subject] in subject.sendNext($0) },
        end: { self.origin.core.workEnded(self, $0, subscription) }),
      in: subscription)
  }

  func end(_ termination: Termination) {
    switch termination {
    case .completed: subject.sendCompleted()
    case .error(let error): subject.sendError(error)
    }
    ticket.supervision?.attempts.sendCompleted()
    guard let changes = stateChanges.withLock({ $0 }) else { return }
    changes.sendNext(())
    changes.sendCompleted()
  }

  func stateChanged() {
    stateChanges.withLock { $0 }?.sendNext(())
  }
}

/// What all executions of one command share, with its types.
final class Origin<Input: Sendable, Output: Sendable>: Sendable {
  let core: CommandCore
  let executions = Subject<Execution<Input, Output>>()
  let replayCapacity: Int?
  let signalBlock: @Sendable (Input) throws -> Signal<Output>

  init(
    core: CommandCore, replayCapacity: Int?,
    signalBlock: @escaping @Sendable (Input) throws -> Signal<Output>
  ) {
    self.core = core
    self.replayCapacity = replayCapacity
    self.signalBlock = signalBlock
  }
}
