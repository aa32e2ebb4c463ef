extension Signal {
  /// Combines each value with the result of the one before, and sends every result. RAC:
  /// `scanWithStart:reduce:`.
  ///
  /// - Values: one result for each value of the source; the seed itself is not sent.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source and releases the last result.
  /// - Scheduler: the source's.
  @inlinable
  public func scan<Result: Sendable>(
    _ seed: Result, _ combine: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result> {
    Signal<Result> { [source] observer, subscription in
      let next = observer.next
      let state = SerialState(seed)
      source(
        Observer(
          next: {
            state.value = combine(state.value, $0)
            next(state.value)
          }, end: observer.end), subscription)
    }
  }
}
