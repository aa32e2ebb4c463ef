extension Signal {
  /// Sends each event as a value. RAC: `materialize`.
  ///
  /// - Values: every event, the terminal one included.
  /// - Error: none: it becomes a value.
  /// - Completion: after the value for the terminal event.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  @inlinable
  public func materialize() -> Signal<Event<Value>> {
    Signal<Event<Value>> { [source] observer, subscription in
      let upstream = subscription.makeChild()
      source(
        Observer(
          next: { observer.next(.next($0)) },
          end: { termination in
            upstream.dispose()
            observer.next(Event(termination))
            if !subscription.isDisposed { observer.end(.completed) }
          }), upstream)
    }
  }

  /// Turns values that are events back into events. RAC: `dematerialize`.
  ///
  /// - Values: those of the `next` events.
  /// - Error: at an `error` event, or the source's own.
  /// - Completion: at a `completed` event, or with the source.
  /// - Disposal: disposes the source; so does a terminal event.
  /// - Scheduler: the source's.
  @inlinable
  public func dematerialize<Inner>() -> Signal<Inner> where Value == Event<Inner> {
    Signal<Inner> { [source] observer, subscription in
      let upstream = subscription.makeChild()
      let hasEnded = SerialState(false)
      let finish: @Sendable (Termination) -> Void = { termination in
        hasEnded.value = true
        upstream.dispose()
        if !subscription.isDisposed { observer.end(termination) }
      }
      source(
        Observer(
          next: { event in
            if hasEnded.value { return }
            switch event {
            case .next(let value): observer.next(value)
            case .error(let error): finish(.error(error))
            case .completed: finish(.completed)
            }
          }, end: { if !hasEnded.value { observer.end($0) } }), upstream)
    }
  }
}
