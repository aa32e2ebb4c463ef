extension Signal {
  /// Transforms each value. RAC: `map:`.
  ///
  /// - Values: `transform` of each value, in order.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func map<Mapped>(
    _ transform: @escaping @Sendable (Value) -> Mapped
  ) -> Signal<Mapped> {
    Signal<Mapped> { [source] observer, subscription in
      let next = observer.next
      source(Observer(next: { next(transform($0)) }, end: observer.end), subscription)
    }
  }
}
