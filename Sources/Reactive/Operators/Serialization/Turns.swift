import Synchronization

/// Work of several callers, one piece at a time in the order in which it came, and no lock unless two
/// meet: see `DeliveryGate`. The owner does its own piece at once, and then those that waited.
@usableFromInline
struct Turns: ~Copyable, Sendable {
  @usableFromInline typealias Work = @Sendable () -> Void

  @usableFromInline let gate = DeliveryGate()
  /// Made by the first caller that has to wait; most have none.
  @usableFromInline let waiting = Mutex<Queue<Work>?>(nil)

  /// The owner's next step.
  @usableFromInline
  enum Step {
    case work(Work)
    /// Nothing was left, and the caller is not the owner any more.
    case released
    /// The caller is the last owner; what waited has been dropped.
    case closed
  }

  private enum Arrival {
    case owns
    case waits
    /// Carries what nobody will do, to be released after the lock.
    case tooLate(Queue<Work>?)
  }

  @inlinable
  init() {}

  /// Leaves a piece of work for its turn. True if the caller has become the owner, who does it.
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

  /// What the owner does next; it lets go when nothing is left.
  @usableFromInline
  func nextStep() -> Step {
    // What is dropped is released after the lock.
    let (step, _) = waiting.withLock { waiting -> (Step, Queue<Work>?) in
      if gate.isClosed { return (.closed, waiting.take()) }
      if let work = waiting?.popFirst() { return (.work(work), nil) }
      return (gate.releaseDrained() ? .released : .closed, nil)
    }
    return step
  }
}
