extension Signal {
  /// Leaves out values that are the same as the one before. RAC: `distinctUntilChanged`.
  ///
  /// - Values: the first one always, and each for which `areSame` with the one sent last is false.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source and releases the last value.
  /// - Scheduler: the source's.
  @inlinable
  public func distinctUntilChanged(
    _ areSame: @escaping @Sendable (_ last: Value, _ new: Value) -> Bool
  ) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let next = observer.next
      let last = SerialState<Value?>(nil)
      source(
        Observer(
          next: {
            if let last = last.value, areSame(last, $0) { return }
            last.value = $0
            next($0)
          }, end: observer.end), subscription)
    }
  }
}

extension Signal where Value: Equatable {
  /// Omits values equal to the previous one. RAC: `distinctUntilChanged`.
  ///
  /// - Values: the first one always, and each that differs from the one sent last.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source and releases the last value.
  /// - Scheduler: the source's.
  @inlinable
  public func distinctUntilChanged() -> Signal<Value> {
    distinctUntilChanged { $0 == $1 }
  }
}
