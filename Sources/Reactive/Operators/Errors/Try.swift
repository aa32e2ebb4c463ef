extension Signal {
  /// Transforms each value with a call that may throw. RAC: `tryMap:`.
  ///
  /// - Values: `transform` of each value, in order.
  /// - Error: the first that `transform` throws, or the source's.
  /// - Completion: with the source.
  /// - Disposal: disposes the source; so does a throw.
  /// - Scheduler: the source's.
  @inlinable
  public func tryMap<Mapped>(
    _ transform: @escaping @Sendable (Value) throws -> Mapped
  ) -> Signal<Mapped> {
    Signal<Mapped> { [source] observer, subscription in
      let upstream = subscription.makeChild()
      let hasEnded = SerialState(false)
      source(
        Observer(
          next: { value in
            if hasEnded.value { return }
            let mapped: Mapped
            do {
              mapped = try transform(value)
            } catch {
              hasEnded.value = true
              upstream.dispose()
              if !subscription.isDisposed { observer.end(.error(error)) }
              return
            }
            observer.next(mapped)
          }, end: observer.end), upstream)
    }
  }

  /// Checks each value with a call that may throw. RAC: `try:`.
  ///
  /// - Values: the source's, as long as `check` does not throw.
  /// - Error: the first that `check` throws, or the source's.
  /// - Completion: with the source.
  /// - Disposal: disposes the source; so does a throw.
  /// - Scheduler: the source's.
  @inlinable
  public func `try`(_ check: @escaping @Sendable (Value) throws -> Void) -> Signal<Value> {
    tryMap { value in
      try check(value)
      return value
    }
  }
}
