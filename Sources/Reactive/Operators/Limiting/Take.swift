extension Signal {
  /// Ends after a number of values. RAC: `take:`.
  ///
  /// - Values: the first `count`.
  /// - Error: passed on if it comes first.
  /// - Completion: right after the last of the values, or with the source; `take(0)` completes at
  ///   once and does not subscribe to the source.
  /// - Disposal: disposes the source; so does the last value, after it was delivered.
  /// - Scheduler: the source's.
  @inlinable
  public func take(_ count: Int) -> Signal<Value> {
    guard count > 0 else { return .empty() }
    return Signal { [source] observer, subscription in
      let upstream = subscription.makeChild()
      let left = SerialState(count)
      source(
        Observer(
          next: {
            left.value -= 1
            if left.value > 0 {
              observer.next($0)
            } else if left.value == 0 {
              observer.next($0)
              upstream.dispose()
              if !subscription.isDisposed { observer.end(.completed) }
            }
          }, end: observer.end), upstream)
    }
  }
}
