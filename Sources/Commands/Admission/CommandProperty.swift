import Reactive
import Synchronization

/// The sending end of one of a command's signals, like a property that only its owner sets.
///
/// Not a subject, whose events are delivered by whoever is there, a subscriber on another thread too:
/// only the command's pump sends, on the scheduler, and a send has reached everybody when it returns.
/// Who subscribes or disposes elsewhere meanwhile neither delivers nor waits.
///
/// A property with a value sends it to a new subscriber at once, where that subscribes. What changes
/// while the subscriber handles it follows on the scheduler:
///
/// ```
/// welcoming ── nothing was missed ──────────────────────────────▶ live
///     └─────── missed something ──▶ catching up ── told it all ──▶ live
/// ```
@usableFromInline
final class CommandProperty<Value: Sendable>: Sendable {
  private struct State {
    /// The latest value, for a property that has one.
    var value: Value?
    var hasCompleted = false
    var subscribers = SubscriberList()
  }

  /// One subscriber, and what it has not yet been told; guarded by the mutex of the property.
  private final class Subscriber: Disposable, @unchecked Sendable {
    let observer: Observer<Value>
    private let property: CommandProperty
    private let disposed = Atomic<Bool>(false)
    @exclusivity(unchecked) var place = 0
    /// Whether it has been told everything; then it is told what comes at once.
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
      if !disposed.exchange(true, ordering: .acquiringAndReleasing) { property.remove(self) }
    }
  }

  /// Subscribers in order, each of which knows its place; a hole is left where one went.
  private struct SubscriberList {
    var places: ContiguousArray<Subscriber?> = []
    var count = 0

    mutating func append(_ subscriber: Subscriber) {
      subscriber.place = places.count
      places.append(subscriber)
      count += 1
    }

    /// Nil if it is not in the list.
    mutating func remove(_ subscriber: Subscriber) -> Subscriber? {
      guard places.indices.contains(subscriber.place),
        let found = places[subscriber.place], found === subscriber
      else { return nil }
      places[subscriber.place] = nil
      count -= 1
      if count * 2 < places.count {
        places.removeAll { $0 == nil }
        for (place, subscriber) in places.enumerated() { subscriber?.place = place }
      }
      return found
    }
  }

  private let scheduler: Scheduler
  private let hasValue: Bool
  private let state: Mutex<State>

  /// - Parameter value: what new subscribers are told first; nil for nothing.
  @usableFromInline
  init(_ value: Value? = nil, on scheduler: Scheduler) {
    self.scheduler = scheduler
    hasValue = value != nil
    state = Mutex(State(value: value))
  }

  /// The signal.
  @usableFromInline
  var signal: Signal<Value> {
    Signal { self.add($0, $1) }
  }

  // MARK: For the pump

  @usableFromInline
  func send(_ value: Value) {
    var old: Value?
    let subscribers = state.withLock { state in
      if hasValue {
        // Released after the lock.
        old = state.value
        state.value = value
      }
      return state.subscribers.places
    }
    withExtendedLifetime(old) {}
    for subscriber in subscribers {
      guard let subscriber, !subscriber.isDisposed else { continue }
      let isTold = tell(subscriber) { $0.missed.append(value) }
      if isTold { subscriber.observer.next(value) }
    }
  }

  @usableFromInline
  func complete() {
    let subscribers = state.withLock { state in
      state.hasCompleted = true
      defer { state.subscribers = SubscriberList() }
      return state.subscribers.places
    }
    for subscriber in subscribers {
      guard let subscriber, !subscriber.isDisposed else { continue }
      let isTold = tell(subscriber) { $0.missedCompletion = true }
      if isTold { subscriber.observer.end(.completed) }
    }
  }

  /// Whether a subscriber is to be told now; one that is not live is told later what `leave` leaves.
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
    let subscriber = Subscriber(observer, self, isLive: !hasValue)
    let (value, hasCompleted) = state.withLock { state in
      if !state.hasCompleted { state.subscribers.append(subscriber) }
      return (state.value, state.hasCompleted)
    }
    subscription.add(subscriber)
    if let value, !subscriber.isDisposed { observer.next(value) }
    if hasCompleted {
      if !subscriber.isDisposed { observer.end(.completed) }
    } else if hasValue, !goLive(subscriber) {
      scheduler.schedule { self.catchUp(subscriber) }
    }
  }

  /// Whether a subscriber has missed nothing, and is live from now on.
  private func goLive(_ subscriber: Subscriber) -> Bool {
    state.withLock { _ in
      guard subscriber.missed.isEmpty, !subscriber.missedCompletion else { return false }
      subscriber.isLive.store(true, ordering: .releasing)
      return true
    }
  }

  /// Tells a subscriber what it has missed; on the scheduler, where nothing else is sent meanwhile.
  private func catchUp(_ subscriber: Subscriber) {
    let (missed, hasCompleted) = state.withLock { _ in
      defer { subscriber.missed = [] }
      return (subscriber.missed, subscriber.missedCompletion)
    }
    for value in missed where !subscriber.isDisposed { subscriber.observer.next(value) }
    if hasCompleted {
      if !subscriber.isDisposed { subscriber.observer.end(.completed) }
    } else if !goLive(subscriber) {
      // More came re-entrantly, on a scheduler that nests.
      scheduler.schedule { self.catchUp(subscriber) }
    }
  }

  private func remove(_ subscriber: Subscriber) {
    // The list's reference is released after the lock.
    _ = state.withLock { $0.subscribers.remove(subscriber) }
  }
}
