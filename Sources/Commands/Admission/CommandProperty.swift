import Reactive
import Synchronization

/// The sending end of one of a command's signals, like a property that only its owner sets.
///
/// This is not a subject, because any thread that subscribes can end up delivering a subject's
/// events. Here only the command's pump sends, on the scheduler, and a send has reached all
/// subscribers when it returns. A thread that subscribes or disposes meanwhile neither delivers nor
/// waits.
///
/// A property with a value sends it to a new subscriber at once, on the subscribing thread. Changes
/// made while the subscriber handles it follow on the scheduler:
///
/// ```
/// welcoming ── nothing was missed ──────────────────────────────▶ live
///     └─────── missed something ──▶ catching up ── told it all ──▶ live
/// ```
///
/// The subscribers are part of the command's state, under its mutex. While the pump makes a
/// publication they belong to the pump, which sends without a lock; see `SubscriptionChange`.
@usableFromInline
final class CommandProperty<Value: Sendable>: @unchecked Sendable {
  // Unchecked: the list is guarded by the command's mutex or belongs to the pump.

  /// One subscriber and the values it has not received yet.
  private final class Subscriber: Disposable, SubscriptionChange, @unchecked Sendable {
    // Unchecked: the mutex of the command guards what was missed, and the list as the property says;
    // the rest is constant or atomic.

    let observer: Observer<Value>
    private let property: CommandProperty
    private let disposed = Atomic<Bool>(false)
    @exclusivity(unchecked) var isListed = false
    @exclusivity(unchecked) var next: Unmanaged<Subscriber>?
    @exclusivity(unchecked) var previous: Unmanaged<Subscriber>?
    /// True once the subscriber has received everything; from then on it receives new values at
    /// once.
    let isLive: Atomic<Bool>
    @exclusivity(unchecked) var missed: [Value] = []
    @exclusivity(unchecked) var missedCompletion = false

    init(_ observer: Observer<Value>, _ property: CommandProperty, isLive: Bool) {
      self.observer = observer
      self.property = property
      self.isLive = Atomic(isLive)
    }

    var isDisposed: Bool { disposed.load(ordering: .acquiring) }

    func dispose() {
      guard !disposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
      property.state.withLock { $0.change(self) }
    }

    func carryOut() {
      guard isListed == isDisposed else { return }
      if isListed { property.remove(self) } else { property.append(self) }
    }
  }

  private let scheduler: Scheduler
  private let state: SharedCommandState
  /// The value that new subscribers receive first; nil for a property without one.
  private let current: (@Sendable (CommandState) -> Value)?
  // The subscribers, linked and each retained, so that a send counts no references.
  @exclusivity(unchecked) private var first: Unmanaged<Subscriber>?
  @exclusivity(unchecked) private var last: Unmanaged<Subscriber>?

  init(
    of state: SharedCommandState, _ current: (@Sendable (CommandState) -> Value)?,
    on scheduler: Scheduler
  ) {
    self.state = state
    self.current = current
    self.scheduler = scheduler
  }

  /// The signal.
  @usableFromInline
  var signal: Signal<Value> {
    Signal { self.add($0, $1) }
  }

  // MARK: For the pump

  func send(_ value: Value) {
    var place = first
    while let current = place {
      place = current._withUnsafeGuaranteedRef { subscriber in
        if !subscriber.isDisposed, tell(subscriber, orLeave: { $0.missed.append(value) }) {
          subscriber.observer.next(value)
        }
        return subscriber.next
      }
    }
  }

  /// Completes all subscribers; nobody subscribes any more.
  func complete() {
    while let subscriber = first?.takeUnretainedValue() {
      remove(subscriber)
      if !subscriber.isDisposed, tell(subscriber, orLeave: { $0.missedCompletion = true }) {
        subscriber.observer.end(.completed)
      }
    }
  }

  /// Returns true if a subscriber has to be notified now. A subscriber that is not live receives
  /// later what `leave` stores.
  private func tell(_ subscriber: Subscriber, orLeave leave: (Subscriber) -> Void) -> Bool {
    if subscriber.isLive.load(ordering: .acquiring) { return true }
    return state.withLock { _ in
      if subscriber.isLive.load(ordering: .relaxed) { return true }
      leave(subscriber)
      return false
    }
  }

  // MARK: For subscribers

  private func add(_ observer: Observer<Value>, _ subscription: CompoundDisposable) {
    guard !subscription.isDisposed else { return }
    let subscriber = Subscriber(observer, self, isLive: current == nil)
    let (value, hasCompleted) = state.withLock { state in
      if !state.hasCompleted { state.change(subscriber) }
      return (current?(state), state.hasCompleted)
    }
    subscription.add(subscriber)
    if let value, !subscriber.isDisposed { observer.next(value) }
    if hasCompleted {
      if !subscriber.isDisposed { observer.end(.completed) }
    } else if current != nil, !goLive(subscriber) {
      scheduler.schedule { self.catchUp(subscriber) }
    }
  }

  /// Makes a subscriber live if it has missed nothing; returns true if it did.
  private func goLive(_ subscriber: Subscriber) -> Bool {
    state.withLock { _ in
      guard subscriber.missed.isEmpty, !subscriber.missedCompletion else { return false }
      subscriber.isLive.store(true, ordering: .releasing)
      return true
    }
  }

  /// Sends a subscriber the values it has missed; on the scheduler, where nothing else is sent
  /// meanwhile.
  private func catchUp(_ subscriber: Subscriber) {
    let (missed, hasCompleted) = state.withLock { _ in
      defer { subscriber.missed = [] }
      return (subscriber.missed, subscriber.missedCompletion)
    }
    for value in missed where !subscriber.isDisposed { subscriber.observer.next(value) }
    if hasCompleted {
      if !subscriber.isDisposed { subscriber.observer.end(.completed) }
    } else if !goLive(subscriber) {
      // More values arrived re-entrantly, on a scheduler that nests.
      scheduler.schedule { self.catchUp(subscriber) }
    }
  }

  // MARK: The list

  private func append(_ subscriber: Subscriber) {
    let new = Unmanaged.passRetained(subscriber)
    subscriber.previous = last
    if let last { last._withUnsafeGuaranteedRef { $0.next = new } } else { first = new }
    last = new
    subscriber.isListed = true
  }

  /// Removes a subscriber, which the caller keeps.
  private func remove(_ subscriber: Subscriber) {
    let (previous, next) = (subscriber.previous, subscriber.next)
    if let previous { previous._withUnsafeGuaranteedRef { $0.next = next } } else { first = next }
    if let next {
      next._withUnsafeGuaranteedRef { $0.previous = previous }
    } else {
      last = previous
    }
    (subscriber.previous, subscriber.next) = (nil, nil)
    subscriber.isListed = false
    Unmanaged.passUnretained(subscriber).release()
  }
}
