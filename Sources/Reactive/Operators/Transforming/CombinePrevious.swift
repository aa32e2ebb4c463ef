extension Signal {
  /// Combines each value with the one before it. RAC: `combinePreviousWithStart:reduce:`.
  ///
  /// - Values: `combine` of the value before, at first `start`, and the value.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source and releases the last value.
  /// - Scheduler: the source's.
  @inlinable
  public func combinePrevious<Combined>(
    _ start: Value, _ combine: @escaping @Sendable (Value, Value) -> Combined
  ) -> Signal<Combined> {
    Signal<Combined> { [source] observer, subscription in
      let next = observer.next
      let previous = SerialState(start)
      source(
        Observer(
          next: {
            let combined = combine(previous.value, $0)
            previous.value = $0
            next(combined)
          }, end: observer.end), subscription)
    }
  }
}
