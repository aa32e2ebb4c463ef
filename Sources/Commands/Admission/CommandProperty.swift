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
@usableFromInline
final class CommandProperty<Value: Sendable>: Sendable {
  private struct State {
    /// The latest value, for a property that has one.
    var value: Value?
    var hasCompleted = false
    var subscribers = PlacedList<Subscriber>()
  }

  /// One subscriber and the values it has not received yet; guarded by the mutex of the property.
  private final class Subscriber: Disposable, Placed, @unchecked Sendable {
    // Unchecked: the mutex of the property guards `place` and what was missed; the rest is constant or
    // atomic.

    let observer: Observer<Value>
    private let property: CommandProperty
    private let disposed = Atomic<Bool>(false)
    @exclusivity(unchecked) var place = 0
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
      if !disposed.exchange(true, ordering: .acquiringAndReleasing) { property.remove(self) }
    }
  }

  private let scheduler: Scheduler
  private let hasValue: Bool
  private let state: Mutex<State>

  /// - Parameter value: the first value that new subscribers receive; nil for none.
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
        // Released outside the lock.
        old = state.value
        state.value = value
      }
      return state.subscribers.places
    }
    withExtendedLifetime(old) {}
    Self.forEach(subscribers) { subscriber in
      guard !subscriber.isDisposed else { return }
      let isTold = tell(subscriber) { $0.missed.append(value) }
      if isTold { subscriber.observer.next(value) }
    }
  }

  /// Goes through subscribers without a reference to each: the array has them.
  @inline(__always)
  private static func forEach(
    _ subscribers: ContiguousArray<Subscriber?>, _ body: (Subscriber) -> Void
  ) {
    withExtendedLifetime(subscribers) {
      subscribers.withUnsafeBufferPointer { places in
        places.withMemoryRebound(to: Unmanaged<Subscriber>?.self) { places in
          for case let place? in places { place._withUnsafeGuaranteedRef(body) }
        }
      }
    }
  }

  @usableFromInline
  func complete() {
    let subscribers = state.withLock { state in
      state.hasCompleted = true
      defer { state.subscribers = PlacedList() }
      return state.subscribers.places
    }
    for subscriber in subscribers {
      guard let subscriber, !subscriber.isDisposed else { continue }
      let isTold = tell(subscriber) { $0.missedCompletion = true }
      if isTold { subscriber.observer.end(.completed) }
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

  private func remove(_ subscriber: Subscriber) {
    // The list's reference is released outside the lock.
    _ = state.withLock { $0.subscribers.remove(at: subscriber.place) }
  }
}
