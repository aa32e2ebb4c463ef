extension Signal {
  /// Continues with another signal after an error. RAC: `catch:`.
  ///
  /// - Values: the source's, then those of the signal that `handler` returns.
  /// - Error: that signal's, or what `handler` throws; the source's own is handled.
  /// - Completion: with the source or with that signal.
  /// - Disposal: disposes whichever is running. The source is disposed before `handler` is called.
  /// - Scheduler: `handler` runs where the error arrives.
  @inlinable
  public func `catch`(
    _ handler: @escaping @Sendable (any Error) throws -> Signal<Value>
  ) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let upstream = subscription.makeChild()
      source(
        Observer(
          next: observer.next, batch: observer.batch,
          end: { termination in
            guard case .error(let error) = termination else { return observer.end(termination) }
            upstream.dispose()
            Signal.defer { try handler(error) }.observe(observer, in: subscription)
          }), upstream)
    }
  }

  /// Continues with a given signal after any error. RAC: `catchTo:`.
  ///
  /// - Values: the source's, then `other`'s.
  /// - Error: `other`'s.
  /// - Completion: with the source or with `other`.
  /// - Disposal: disposes whichever is running.
  /// - Scheduler: the source's, then `other`'s.
  @inlinable
  public func catchTo(_ other: Signal<Value>) -> Signal<Value> {
    `catch` { _ in other }
  }
}
