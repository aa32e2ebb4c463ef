extension Signal {
  /// Transforms each tuple with a function of its elements. RAC: `reduceEach:`.
  ///
  /// - Values: `reduce` of the elements of each tuple, in order.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  public func reduceEach<each Element, Reduced>(
    _ reduce: @escaping @Sendable (repeat each Element) -> Reduced
  ) -> Signal<Reduced> where Value == (repeat each Element) {
    map { reduce(repeat each $0) }
  }
}
