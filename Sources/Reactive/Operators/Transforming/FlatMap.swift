extension Signal {
  /// Turns each value into a signal, and sends the values of all these signals as they arrive. RAC:
  /// `flattenMap:`.
  ///
  /// - Values: those of all the signals, in the order in which they come.
  /// - Error: the source's or the first one of a signal; the rest is disposed.
  /// - Completion: when the source and all the signals have completed.
  /// - Disposal: disposes the source and all the signals.
  /// - Scheduler: `transform` and the subscription run where the value arrives; values arrive where
  ///   the signals send them.
  @inlinable
  public func flatMap<Inner>(
    _ transform: @escaping @Sendable (Value) -> Signal<Inner>
  ) -> Signal<Inner> {
    flatMap(into: { $1.add(transform($0)) })
  }

  /// As `flatMap`, for a transformation that needs no signal to send one value.
  @inlinable
  @inline(__always)
  package func flatMap<Inner>(
    into transform: @escaping @Sendable (Value, Merging<Inner>) -> Void
  ) -> Signal<Inner> {
    Signal<Inner> { [source] observer, subscription in
      let merging = Merging(observer, subscription)
      source(
        Observer(next: { transform($0, merging) }, end: { merging.endOuter($0) }),
        subscription)
    }
  }

  /// Turns each value into a signal, and sends the values of these signals, with a limit on how
  /// many run at a time. RAC: `map:` and `flatten:`.
  ///
  /// - Values: those of all the signals, in the order in which they come.
  /// - Error: the source's or the first one of a signal; the rest is disposed.
  /// - Completion: when the source and all the signals have completed.
  /// - Disposal: disposes the source and the signals that are running; the others are dropped.
  /// - Scheduler: as for `flatten`.
  ///
  /// - Parameters:
  ///   - maxConcurrent: how many signals may be subscribed to at a time; 0 for all.
  ///   - transform: makes a signal as soon as its value arrives.
  public func flatMap<Inner>(
    maxConcurrent: Int, _ transform: @escaping @Sendable (Value) -> Signal<Inner>
  ) -> Signal<Inner> {
    guard maxConcurrent > 0 else { return flatMap(transform) }
    // Does not combine `map` and `flatten`: one stage uses less stack than two.
    return Signal<Inner> { [source] observer, subscription in
      let merging = LimitedMerging(observer, subscription, limit: maxConcurrent)
      source(
        Observer(next: { merging.add(transform($0)) }, end: { merging.endOuter($0) }),
        subscription)
    }
  }
}
