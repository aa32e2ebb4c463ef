extension Signal {
  /// A signal of one value. RAC: `return:`.
  ///
  /// - Values: `value`.
  /// - Error: none.
  /// - Completion: after the value.
  /// - Disposal: from inside the value, prevents the completion.
  /// - Scheduler: sends inside the call that subscribes.
  @inlinable
  public static func just(_ value: Value) -> Signal {
    SingleValue(value)
  }

  /// A signal without values that completes. RAC: `empty`.
  ///
  /// - Values: none.
  /// - Error: none.
  /// - Completion: at once.
  /// - Disposal: comes too late to matter.
  /// - Scheduler: completes inside the call that subscribes.
  @inlinable
  public static func empty() -> Signal {
    Signal { observer, _ in observer.end(.completed) }
  }

  /// A signal that sends nothing and never ends. RAC: `never`.
  ///
  /// - Values: none.
  /// - Error: none.
  /// - Completion: never.
  /// - Disposal: releases the subscriber.
  /// - Scheduler: none.
  @inlinable
  public static func never() -> Signal {
    Signal { _, _ in }
  }

  /// A signal that fails. RAC: `error:`.
  ///
  /// - Values: none.
  /// - Error: `error`, at once.
  /// - Completion: never.
  /// - Disposal: comes too late to matter.
  /// - Scheduler: fails inside the call that subscribes.
  @inlinable
  public static func error(_ error: any Error) -> Signal {
    Signal { observer, _ in observer.end(.error(error)) }
  }
}

/// The signal that `just` makes. It has no closure, and `flatMap` and commands send its value without a
/// subscription.
@usableFromInline
final class SingleValue<Value: Sendable>: Signal<Value>, @unchecked Sendable {
  // Unchecked only because its superclass is open: the property that it adds is immutable.

  @usableFromInline let value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
    super.init(isBlock: false)
  }

  // Out of line: the optimizer fails where it reads a property of this class from an object that it
  // knows to be of another one, though that is never reached.

  @inlinable
  @inline(never)
  func send(to observer: Observer<Value>, in subscription: CompoundDisposable) {
    Self.send(value, to: observer, in: subscription)
  }

  @inlinable
  static func send(
    _ value: Value, to observer: Observer<Value>, in subscription: CompoundDisposable
  ) {
    observer.next(value)
    if !subscription.isDisposed { observer.end(.completed) }
  }

  /// Captures the value and not the signal.
  @usableFromInline
  var deferredSource: @Sendable (Observer<Value>, CompoundDisposable) -> Void {
    { [value] observer, subscription in Self.send(value, to: observer, in: subscription) }
  }
}
