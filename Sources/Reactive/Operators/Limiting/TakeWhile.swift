extension Signal {
  /// Ends at the first value that fails a test. RAC: `takeWhileBlock:`.
  ///
  /// - Values: those before the first for which `isIncluded` is false.
  /// - Error: passed on if it comes first.
  /// - Completion: at that value, which is not sent, or with the source.
  /// - Disposal: disposes the source; so does the failing value.
  /// - Scheduler: the source's.
  @inlinable
  public func takeWhile(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let upstream = subscription.makeChild()
      let hasEnded = SerialState(false)
      source(
        Observer(
          next: {
            if hasEnded.value { return }
            if isIncluded($0) {
              observer.next($0)
            } else {
              hasEnded.value = true
              upstream.dispose()
              if !subscription.isDisposed { observer.end(.completed) }
            }
          }, end: observer.end), upstream)
    }
  }

  /// Ends at the first value that passes a test. RAC: `takeUntilBlock:`.
  ///
  /// - Values: those before the first for which `isEnd` is true.
  /// - Error: passed on if it comes first.
  /// - Completion: at that value, which is not sent, or with the source.
  /// - Disposal: disposes the source; so does the passing value.
  /// - Scheduler: the source's.
  @inlinable
  public func takeUntil(_ isEnd: @escaping @Sendable (Value) -> Bool) -> Signal<Value> {
    takeWhile { !isEnd($0) }
  }
}
