extension Signal where Value: Equatable {
  /// Omits values equal to a given one. RAC: `ignore:`.
  ///
  /// - Values: those that are not equal to `value`.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func ignore(_ value: Value) -> Signal<Value> {
    filter { $0 != value }
  }
}

extension Signal {
  /// Omits all values. RAC: `ignoreValues`.
  ///
  /// - Values: none.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func ignoreValues() -> Signal<Value> {
    ignoreValues(as: Value.self)
  }

  /// Leaves out all values, so that the signal can stand where another type is asked for. RAC:
  /// `ignoreValues`.
  ///
  /// - Values: none.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func ignoreValues<Other>(as type: Other.Type) -> Signal<Other> {
    Signal<Other> { [source] observer, subscription in
      source(Observer(next: { _ in }, end: observer.end), subscription)
    }
  }
}
