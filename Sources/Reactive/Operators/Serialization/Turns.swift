import Synchronization

/// Serializes the work of several callers, in the order of arrival, with a lock only if two callers
/// meet; see `DeliveryGate`. The owner does its own work at once, and then the queued work.
@usableFromInline
struct Turns: ~Copyable, Sendable {
  @usableFromInline typealias Work = @Sendable () -> Void

  @usableFromInline let gate = DeliveryGate()
  /// Created by the first caller that has to wait; most never need it.
  @usableFromInline let waiting = Mutex<Queue<Work>?>(nil)

  /// The owner's next step.
  @usableFromInline
  enum Step {
    case work(Work)
    /// No work was left, and the caller is no longer the owner.
    case released
    /// The caller is the last owner; the queued work has been dropped.
    case closed
  }

  private enum Arrival {
    case owns
    case waits
    /// Carries the work that will never run, to be released outside the lock.
    case tooLate(Queue<Work>?)
  }

  @inlinable
  init() {}

  /// Queues a piece of work. True if the caller has become the owner, which has to do it.
  @usableFromInline
  func enqueue(_ work: @escaping Work) -> Bool {
    guard !gate.isClosed else { return false }
    let arrival = waiting.withLock { waiting -> Arrival in
      var queue = waiting.take() ?? Queue()
      queue.append(work)
      waiting = queue
      if gate.acquireOrContend() { return .owns }
      return gate.isClosed ? .tooLate(waiting.take()) : .waits
    }
    if case .owns = arrival { return true }
    return false
  }

  /// Returns the owner's next step; releases the gate when no work is left.
  @usableFromInline
  func nextStep() -> Step {
    // The dropped work is released outside the lock.
    let (step, _) = waiting.withLock { waiting -> (Step, Queue<Work>?) in
      if gate.isClosed { return (.closed, waiting.take()) }
      if let work = waiting?.popFirst() { return (.work(work), nil) }
      return (gate.releaseDrained() ? .released : .closed, nil)
    }
    return step
  }
}
