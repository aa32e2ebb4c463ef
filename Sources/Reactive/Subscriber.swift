import Synchronization

/// What the block of `Signal.create` sends its events to. RAC: `id<RACSubscriber>`.
///
/// It lets through any number of values and one terminal event, nothing after that, and nothing after
/// the subscription was disposed. The block may keep it as long as it likes: at the end of the
/// subscription it releases everything downstream.
///
/// Its methods may be called from any thread, one call at a time.
public final class Subscriber<Value: Sendable>: @unchecked Sendable {
  // Unchecked: what is downstream is read between `enter` and `leave`, and cleared by whoever wins
  // `drop`.

  /// The subscription: teardown added to it runs when the stream ends or is disposed.
  public let disposable: CompoundDisposable

  /// `ended`, `dropped`, and above them the number of calls in progress.
  @usableFromInline let gate = Atomic<Int>(0)
  // Apart, because a value should not cost a retain of both.
  @exclusivity(unchecked)
  @usableFromInline var next: (@Sendable (Value) -> Void)?
  @exclusivity(unchecked)
  @usableFromInline var end: (@Sendable (Termination) -> Void)?

  @usableFromInline static var ended: Int { 1 }
  @usableFromInline static var dropped: Int { 2 }
  @usableFromInline static var entry: Int { 4 }

  @inlinable
  init(_ observer: Observer<Value>, _ subscription: CompoundDisposable) {
    next = observer.next
    end = observer.end
    disposable = subscription
  }

  /// Whether nothing sent will arrive any more: after a terminal event or disposal.
  @inlinable
  public var isDisposed: Bool {
    gate.load(ordering: .acquiring) & Self.ended != 0
  }

  /// Sends a value.
  @inlinable
  public func sendNext(_ value: Value) {
    if enter() { next?(value) }
    leave()
  }

  /// Ends the stream with an error.
  @inlinable
  public func sendError(_ error: any Error) {
    finish(.error(error))
  }

  /// Ends the stream.
  @inlinable
  public func sendCompleted() {
    finish(.completed)
  }

  /// Sends an event.
  public func send(_ event: Event<Value>) {
    switch event {
    case .next(let value): sendNext(value)
    case .error(let error): sendError(error)
    case .completed: sendCompleted()
    }
  }

  @inlinable
  func finish(_ termination: Termination) {
    // Usually no call is in progress, and the end both enters and closes.
    let (entered, _) = gate.compareExchange(
      expected: 0, desired: Self.entry | Self.ended, ordering: .acquiring)
    if entered || (enter() && close()) {
      // Taken out, not copied: nobody else looks for it any more.
      end.take()?(termination)
    }
    leave()
  }

  @inlinable
  func enter() -> Bool {
    gate.wrappingAdd(Self.entry, ordering: .acquiring).oldValue & Self.ended == 0
  }

  @inlinable
  func leave() {
    let left = gate.wrappingSubtract(Self.entry, ordering: .acquiringAndReleasing).newValue
    if left == Self.ended { drop() }
  }

  /// Lets nothing more through, and releases what is downstream as soon as no call is in progress.
  ///
  /// - Returns: whether this call did it.
  @inlinable
  @discardableResult
  func close() -> Bool {
    let before = gate.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue
    if before == 0 { drop() }
    return before & Self.ended == 0
  }

  @inlinable
  func drop() {
    let (won, _) = gate.compareExchange(
      expected: Self.ended, desired: Self.ended | Self.dropped, ordering: .acquiringAndReleasing)
    if won {
      next = nil
      end = nil
    }
  }
}

extension Subscriber: Gate {
  @usableFromInline
  func shut() {
    if !isDisposed { close() }
  }
}
