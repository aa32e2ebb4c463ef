extension Signal {
  /// Counts the values. Rx: `count`.
  ///
  /// - Values: the number of values, when the source completes; zero if it sent nothing.
  /// - Error: passed on; there is no number.
  /// - Completion: after the number.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func count() -> Signal<Int> {
    aggregate(into: 0) { count, _ in count += 1 }
  }
}
