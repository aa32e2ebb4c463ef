extension Signal {
  /// Combines each value with the previous result, and sends every result. RAC:
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

  /// Combines each value and its index with the previous result, and sends every result. RAC:
  /// `scanWithStart:reduceWithIndex:`.
  ///
  /// - Values: one result for each value of the source; the seed itself is not sent.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source and releases the last result.
  /// - Scheduler: the source's.
  ///
  /// - Parameters:
  ///   - seed: what the first value is combined with.
  ///   - combine: gets the last result, the value, and how many values came before it.
  @inlinable
  public func scan<Result: Sendable>(
    _ seed: Result, withIndex combine: @escaping @Sendable (Result, Value, Int) -> Result
  ) -> Signal<Result> {
    Signal<Result> { [source] observer, subscription in
      let next = observer.next
      let state = SerialState((result: seed, index: 0))
      source(
        Observer(
          next: {
            state.value = (
              combine(state.value.result, $0, state.value.index), state.value.index + 1
            )
            next(state.value.result)
          }, end: observer.end), subscription)
    }
  }
}
