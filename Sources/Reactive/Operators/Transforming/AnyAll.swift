extension Signal {
  /// Sends whether any value passes a test. RAC: `any:`.
  ///
  /// - Values: one: true at the first value for which `predicate` is true, or false at the end.
  /// - Error: none: an error of the source ends the search, and false is sent.
  /// - Completion: after the value.
  /// - Disposal: disposes the source; so does the first value that passes.
  /// - Scheduler: the source's.
  @inlinable
  public func any(_ predicate: @escaping @Sendable (Value) -> Bool) -> Signal<Bool> {
    verdict(at: { predicate($0) ? true : nil }, atEnd: { _ in false })
  }

  /// Sends whether there is any value. RAC: `any`.
  ///
  /// - Values: one: true at the first value, or false at the end.
  /// - Error: none: an error of the source ends the search, and false is sent.
  /// - Completion: after the value.
  /// - Disposal: disposes the source; so does the first value.
  /// - Scheduler: the source's.
  @inlinable
  public func any() -> Signal<Bool> {
    any { _ in true }
  }

  /// Sends whether all values pass a test. RAC: `all:`.
  ///
  /// - Values: one: false at the first value for which `predicate` is false or at an error, or true
  ///   when the source completes.
  /// - Error: none: an error of the source counts as a value that fails the test.
  /// - Completion: after the value.
  /// - Disposal: disposes the source; so does the first value that fails.
  /// - Scheduler: the source's.
  @inlinable
  public func all(_ predicate: @escaping @Sendable (Value) -> Bool) -> Signal<Bool> {
    verdict(at: { predicate($0) ? nil : false }) { termination in
      if case .completed = termination { true } else { false }
    }
  }

  /// Sends the first verdict for a value, or otherwise the verdict for the end, and completes.
  @usableFromInline
  func verdict(
    at judge: @escaping @Sendable (Value) -> Bool?,
    atEnd: @escaping @Sendable (Termination) -> Bool
  ) -> Signal<Bool> {
    Signal<Bool> { [source] observer, subscription in
      let upstream = subscription.makeChild()
      let hasEnded = SerialState(false)
      let finish: @Sendable (Bool) -> Void = { verdict in
        hasEnded.value = true
        upstream.dispose()
        observer.next(verdict)
        if !subscription.isDisposed { observer.end(.completed) }
      }
      source(
        Observer(
          next: {
            if !hasEnded.value, let verdict = judge($0) { finish(verdict) }
          },
          end: { if !hasEnded.value { finish(atEnd($0)) } }), upstream)
    }
  }
}
