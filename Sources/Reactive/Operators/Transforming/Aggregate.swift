extension Signal {
  /// Combines all values into one result, sent at the end. RAC: `aggregateWithStart:reduce:`.
  ///
  /// - Values: the result, when the source completes; the seed if it sent nothing.
  /// - Error: passed on; there is no result.
  /// - Completion: after the result.
  /// - Disposal: disposes the source and releases the result so far.
  /// - Scheduler: the source's.
  @inlinable
  public func aggregate<Result: Sendable>(
    _ seed: Result, _ combine: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result> {
    aggregate(into: seed) { $0 = combine($0, $1) }
  }

  /// Combines all values and their indices into one result, sent at the end. RAC:
  /// `aggregateWithStart:reduceWithIndex:`.
  ///
  /// - Values: the result, when the source completes; the seed if it sent nothing.
  /// - Error: passed on; there is no result.
  /// - Completion: after the result.
  /// - Disposal: disposes the source and releases the result so far.
  /// - Scheduler: the source's.
  ///
  /// - Parameters:
  ///   - seed: what the first value is combined with.
  ///   - combine: gets the last result, the value, and how many values came before it.
  @inlinable
  public func aggregate<Result: Sendable>(
    _ seed: Result, withIndex combine: @escaping @Sendable (Result, Value, Int) -> Result
  ) -> Signal<Result> {
    let start = (result: seed, index: 0)
    return aggregate(into: start) { running, value in
      running = (combine(running.result, value, running.index), running.index + 1)
    }
    .map(\.result)
  }

  /// Combines all values into one result that is changed in place and sent at the end. RAC:
  /// `aggregateWithStart:reduce:`.
  ///
  /// - Values: the result, when the source completes; the seed if it sent nothing.
  /// - Error: passed on; there is no result.
  /// - Completion: after the result.
  /// - Disposal: disposes the source and releases the result so far.
  /// - Scheduler: the source's.
  @inlinable
  public func aggregate<Result: Sendable>(
    into seed: Result, _ add: @escaping @Sendable (inout Result, Value) -> Void
  ) -> Signal<Result> {
    aggregate(makeSeed: { seed }, into: add)
  }

  /// Combines all values into one result, with a new seed for each subscription, sent at the end.
  /// RAC: `aggregateWithStartFactory:reduce:`.
  ///
  /// - Values: the result, when the source completes; the seed if it sent nothing.
  /// - Error: passed on; there is no result.
  /// - Completion: after the result.
  /// - Disposal: disposes the source and releases the result so far.
  /// - Scheduler: the source's; `makeSeed` runs where the subscription is made.
  ///
  /// - Parameters:
  ///   - makeSeed: makes what the first value is combined with, once for each subscription: for a
  ///     result that is an object.
  ///   - combine: gets the last result and the value.
  @inlinable
  public func aggregate<Result: Sendable>(
    makeSeed: @escaping @Sendable () -> Result,
    _ combine: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result> {
    aggregate(makeSeed: makeSeed, into: { $0 = combine($0, $1) })
  }

  @inlinable
  func aggregate<Result: Sendable>(
    makeSeed: @escaping @Sendable () -> Result,
    into add: @escaping @Sendable (inout Result, Value) -> Void
  ) -> Signal<Result> {
    Signal<Result> { [source] observer, subscription in
      let state = SerialState(makeSeed())
      source(
        Observer(
          next: { add(&state.value, $0) },
          end: { termination in
            if case .completed = termination {
              observer.next(state.value)
              if subscription.isDisposed { return }
            }
            observer.end(termination)
          }), subscription)
    }
  }

  /// Collects all values. RAC: `collect`.
  ///
  /// - Values: one array with all values in order, when the source completes; empty if it sent none.
  /// - Error: passed on; the values are dropped.
  /// - Completion: after the array.
  /// - Disposal: disposes the source and releases the values.
  /// - Scheduler: the source's.
  @inlinable
  public func collect() -> Signal<[Value]> {
    aggregate(into: []) { $0.append($1) }
  }
}
