extension Signal {
  /// Replaces each value with the same value. RAC: `mapReplace:`.
  ///
  /// - Values: `replacement`, once for each value of the source.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func mapReplace<Replacement: Sendable>(
    _ replacement: Replacement
  ) -> Signal<Replacement> {
    map { _ in replacement }
  }
}
