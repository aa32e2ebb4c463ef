extension Signal {
  /// A signal that runs `didSubscribe` for each subscription. RAC: `createSignal:`.
  ///
  /// - Values: what the block sends through its subscriber.
  /// - Error: what the block sends; the block itself cannot throw.
  /// - Completion: when the block sends it.
  /// - Disposal: disposes what the block returned, after which nothing sent arrives. A block that lets
  ///   go of its subscriber without an end leaves the subscription open.
  /// - Scheduler: the block runs where the subscription is made; events arrive where it sends them.
  @inlinable
  public static func create(
    _ didSubscribe: @escaping @Sendable (Subscriber<Value>) -> (any Disposable)?
  ) -> Signal<Value> {
    BlockSignal(didSubscribe)
  }
}

/// The signal that `create` makes. It keeps the block without a closure around it, and a subscription
/// that no operator takes part in is one object with the block's subscriber.
@usableFromInline
final class BlockSignal<Value: Sendable>: Signal<Value>, @unchecked Sendable {
  // Unchecked only because its superclass is open: the property that it adds is immutable.
  @usableFromInline typealias Block = @Sendable (Subscriber<Value>) -> (any Disposable)?

  @usableFromInline let didSubscribe: Block

  @inlinable
  init(_ didSubscribe: @escaping Block) {
    self.didSubscribe = didSubscribe
    super.init(isBlock: true)
  }

  // Out of line, as in `SingleValue`.

  @inlinable
  @inline(never)
  func subscribe(
    _ next: @escaping @Sendable (Value) -> Void, _ error: (@Sendable (any Error) -> Void)?,
    _ completed: (@Sendable () -> Void)?
  ) -> any Disposable {
    let subscriber = Subscriber(next, error, completed)
    if let disposable = didSubscribe(subscriber) { subscriber.add(disposable) }
    // An open subscription does not depend on references to it.
    if !subscriber.isDisposed { subscriber.keepUntilDisposed() }
    return subscriber
  }

  @inlinable
  @inline(never)
  func connect(_ observer: Observer<Value>, in subscription: CompoundDisposable) {
    Self.connect(didSubscribe, observer, subscription)
  }

  @inlinable
  static func connect(
    _ didSubscribe: Block, _ observer: Observer<Value>, _ subscription: CompoundDisposable
  ) {
    let subscriber = Subscriber(observer, subscription)
    subscription.add(gate: subscriber)
    if let disposable = didSubscribe(subscriber) { subscription.add(disposable) }
  }

  /// Captures the block and not the signal.
  @usableFromInline
  var deferredSource: @Sendable (Observer<Value>, CompoundDisposable) -> Void {
    { [didSubscribe] observer, subscription in
      Self.connect(didSubscribe, observer, subscription)
    }
  }
}
