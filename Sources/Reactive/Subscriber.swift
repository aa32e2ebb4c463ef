import Synchronization

/// What the block of `Signal.create` sends its events to. RAC: `id<RACSubscriber>`.
///
/// It lets through any number of values and one terminal event, nothing after that, and nothing after
/// the subscription was disposed. The block may keep it as long as it likes: at the end of the
/// subscription it releases everything downstream.
///
/// Its methods may be called from any thread, one call at a time.
public final class Subscriber<Value: Sendable>: @unchecked Sendable {
  // Unchecked: `observer` is read between `enter` and `leave` and cleared by the one who wins `drop`.

  /// The subscription: teardown added to it runs when the stream ends or is disposed.
  public let disposable: CompoundDisposable

  /// `ended`, `dropped`, and above them the number of calls in progress.
  @usableFromInline let gate = Atomic<Int>(0)
  @exclusivity(unchecked)
  @usableFromInline var observer: Observer<Value>?

  @usableFromInline static var ended: Int { 1 }
  @usableFromInline static var dropped: Int { 2 }
  @usableFromInline static var entry: Int { 4 }

  @inlinable
  init(_ observer: Observer<Value>, _ subscription: CompoundDisposable) {
    self.observer = observer
    disposable = subscription
  }

  /// Whether nothing sent will arrive any more: after a terminal event or disposal.
  public var isDisposed: Bool {
    gate.load(ordering: .acquiring) & Self.ended != 0
  }

  /// Sends a value.
  @inlinable
  public func sendNext(_ value: Value) {
    if enter() { observer?.next(value) }
    leave()
  }

  /// Ends the stream with an error.
  @inlinable
  public func sendError(_ error: any Error) {
    end(.error(error))
  }

  /// Ends the stream.
  @inlinable
  public func sendCompleted() {
    end(.completed)
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
  func end(_ termination: Termination) {
    if enter(), close() { observer?.end(termination) }
    leave()
  }

  /// Lets nothing more through, and releases what is downstream as soon as no call is in progress.
  @inlinable
  @discardableResult
  func close() -> Bool {
    let before = gate.bitwiseOr(Self.ended, ordering: .acquiringAndReleasing).oldValue
    if before == 0 { drop() }
    return before & Self.ended == 0
  }

  @inlinable
  func enter() -> Bool {
    gate.add(Self.entry, ordering: .acquiring).oldValue & Self.ended == 0
  }

  @inlinable
  func leave() {
    if gate.subtract(Self.entry, ordering: .acquiringAndReleasing).newValue == Self.ended { drop() }
  }

  @inlinable
  func drop() {
    let (won, _) = gate.compareExchange(
      expected: Self.ended, desired: Self.ended | Self.dropped, ordering: .acquiringAndReleasing)
    if won { observer = nil }
  }
}
