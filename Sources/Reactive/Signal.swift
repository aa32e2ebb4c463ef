/// A stream of values over time that ends with an error, with completion, or never.
///
/// A signal is cold by default: its work starts anew at each subscription. Subjects are the hot
/// ones. A subscription receives any number of values and then at most one terminal event, one at a
/// time, and nothing after its disposal. RAC: `RACSignal`.
open class Signal<Value: Sendable>: @unchecked Sendable {
  // Unchecked only because the class is open: its stored properties are immutable and sendable.

  /// True for a `BlockSignal`, which has no closure either. A cast would look up the generic type, and
  /// methods that subclasses override would not be specialised.
  @usableFromInline final let isBlock: Bool

  /// The feed of a signal that is its own subject; nil for all others.
  @usableFromInline package final let ownFeed: ReplayFeed<Value>?

  /// Connects an observer to the source; the source adds its teardown to the subscription. Nil for a
  /// `SingleValue`, a `BlockSignal` and a signal with a feed.
  @usableFromInline
  final let connect: (@Sendable (Observer<Value>, CompoundDisposable) -> Void)?

  /// Creates a signal from a closure that connects an observer: the base of every operator.
  ///
  /// `source` delivers to the observer one call at a time, stops once the subscription is disposed,
  /// and adds its teardown to the subscription.
  @inlinable
  public init(source: @escaping @Sendable (Observer<Value>, CompoundDisposable) -> Void) {
    isBlock = false
    ownFeed = nil
    connect = source
  }

  /// For `SingleValue` and `BlockSignal`.
  @inlinable
  init(isBlock: Bool) {
    self.isBlock = isBlock
    ownFeed = nil
    connect = nil
  }

  /// A signal that is its own subject.
  @inlinable
  package init(_ feed: ReplayFeed<Value>) {
    isBlock = false
    ownFeed = feed
    connect = nil
  }

  /// A signal with the events of another; for subclasses that add members to a signal.
  @inlinable
  public init(_ signal: Signal<Value>) {
    isBlock = false
    ownFeed = nil
    connect = signal.source
  }

  /// The value of a signal that `just` has made; nil for others. For functions that are never inlined;
  /// see `SingleValue`.
  @inlinable
  package final var singleValue: Value? {
    isValue ? unsafeDowncast(self, to: SingleValue<Value>.self).value : nil
  }

  /// True for a `SingleValue`.
  @inlinable
  final var isValue: Bool { connect == nil && !isBlock && ownFeed == nil }

  /// The closure that connects an observer, for operators, which keep it.
  @inlinable
  final var source: @Sendable (Observer<Value>, CompoundDisposable) -> Void {
    if let connect { return connect }
    if let ownFeed { return ownFeed.source }
    return isBlock
      ? unsafeDowncast(self, to: BlockSignal<Value>.self).deferredSource
      : unsafeDowncast(self, to: SingleValue<Value>.self).deferredSource
  }

  /// Connects an observer under a subscription that the caller owns.
  @inlinable
  public final func observe(_ observer: Observer<Value>, in subscription: CompoundDisposable) {
    if let connect { return connect(observer, subscription) }
    if let ownFeed { return ownFeed.add(observer, subscription) }
    if isBlock {
      unsafeDowncast(self, to: BlockSignal<Value>.self).connect(observer, in: subscription)
    } else {
      unsafeDowncast(self, to: SingleValue<Value>.self).send(to: observer, in: subscription)
    }
  }
}

extension Signal {
  /// Starts the signal's work and receives its events, on the threads where the signal sends them.
  /// RAC: `subscribeNext:error:completed:`.
  ///
  /// A closure without a label receives the values: `signal.subscribe { print($0) }`. An error that
  /// no closure receives is dropped.
  ///
  /// - Parameters:
  ///   - next: called with each value.
  ///   - error: called if the stream fails.
  ///   - completed: called when the stream ends without an error.
  /// - Returns: the subscription; disposing it stops the work and releases the closures. Releasing
  ///   it does not.
  @inlinable
  @discardableResult
  public func subscribe(
    next: @escaping @Sendable (Value) -> Void = { _ in },
    error: (@Sendable (any Error) -> Void)? = nil,
    completed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    if isBlock {
      return unsafeDowncast(self, to: BlockSignal<Value>.self).subscribe(next, error, completed)
    }
    if ownFeed != nil {
      guard error != nil || completed != nil else {
        return ownFeed.unsafelyUnwrapped.subscribe(Observer(next: next) { _ in })
      }
      return ownFeed.unsafelyUnwrapped.subscribe(
        Observer(next: next) { termination in
          switch termination {
          case .completed: completed?()
          case .error(let failure): error?(failure)
          }
        })
    }
    let subscription = CompoundDisposable()
    guard error != nil || completed != nil else {
      observe(Observer(next: next) { _ in subscription.dispose() }, in: subscription)
      return subscription
    }
    observe(
      Observer(next: next) { termination in
        // RAC's order: the work is torn down before its end is delivered.
        subscription.dispose()
        switch termination {
        case .completed: completed?()
        case .error(let failure): error?(failure)
        }
      }, in: subscription)
    return subscription
  }

  /// Starts the signal's work and receives its events as `Event` values.
  ///
  /// - Parameter onEvent: called with each value, and with the end. The label is required: a
  ///   closure without one receives values.
  /// - Returns: the subscription, as from `subscribe(next:error:completed:)`.
  @_disfavoredOverload
  @discardableResult
  public func subscribe(
    onEvent receive: @escaping @Sendable (Event<Value>) -> Void
  ) -> any Disposable {
    subscribe(
      next: { receive(.next($0)) },
      error: { receive(.error($0)) },
      completed: { receive(.completed) })
  }
}
