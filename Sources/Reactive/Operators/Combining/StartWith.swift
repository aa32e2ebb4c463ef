extension Signal {
  /// Sends a value first. RAC: `startWith:`.
  ///
  /// - Values: `value`, then the source's.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source; from inside `value`, keeps it from being subscribed to.
  /// - Scheduler: `value` is sent inside the call that subscribes; the rest is the source's.
  @inlinable
  public func startWith(_ value: Value) -> Signal<Value> {
    Signal { [source] observer, subscription in
      observer.next(value)
      if !subscription.isDisposed { source(observer, subscription) }
    }
  }
}
