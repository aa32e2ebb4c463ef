extension Signal {
  /// Omits the first values. RAC: `skip:`.
  ///
  /// - Values: those after the first `count`.
  /// - Error: passed on, skipped values or not.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func skip(_ count: Int) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let next = observer.next
      let left = SerialState(count)
      source(
        Observer(
          next: {
            if left.value > 0 { left.value -= 1 } else { next($0) }
          }, end: observer.end), subscription)
    }
  }

  /// Omits values as long as they pass a test. RAC: `skipWhileBlock:`.
  ///
  /// - Values: the first for which `isSkipped` is false, and all after it.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func skipWhile(_ isSkipped: @escaping @Sendable (Value) -> Bool) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let next = observer.next
      let isSkipping = SerialState(true)
      source(
        Observer(
          next: {
            if isSkipping.value {
              if isSkipped($0) { return }
              isSkipping.value = false
            }
            next($0)
          }, end: observer.end), subscription)
    }
  }

  /// Omits values until one passes a test. RAC: `skipUntilBlock:`.
  ///
  /// - Values: the first for which `isStart` is true, and all after it.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func skipUntil(_ isStart: @escaping @Sendable (Value) -> Bool) -> Signal<Value> {
    skipWhile { !isStart($0) }
  }
}
