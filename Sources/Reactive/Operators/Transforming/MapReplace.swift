extension Signal {
  /// Puts one value in the place of every other. RAC: `mapReplace:`.
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
