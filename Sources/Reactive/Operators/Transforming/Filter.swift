extension Signal {
  /// Passes on the values that pass a test. RAC: `filter:`.
  ///
  /// - Values: those for which `isIncluded` is true.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let next = observer.next
      source(
        Observer(next: { if isIncluded($0) { next($0) } }, end: observer.end), subscription)
    }
  }
}
