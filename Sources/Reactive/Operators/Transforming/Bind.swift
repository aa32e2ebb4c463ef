extension Signal {
  /// Turns each value into a signal, and sends the values of these signals until the block stops
  /// it. Other operators can be built from it. RAC: `bind:`.
  ///
  /// - Values: those of the signals made, in the order in which they come.
  /// - Error: the source's or the first one of a signal made; the rest is disposed.
  /// - Completion: when the source has completed or the binding has stopped it, and all the signals
  ///   made have completed.
  /// - Disposal: disposes the source and all the signals made.
  /// - Scheduler: the binding is made where the subscription is made and runs where a value arrives;
  ///   values arrive where the signals made send them.
  ///
  /// - Parameter makeBinding: makes for each subscription a function of its own, which may keep state:
  ///   it gets one value at a time. It returns a signal, or nil to stop; setting `stop` stops after
  ///   the signal that it returns. Stopping disposes the source; the signals made go on.
  public func bind<Inner>(
    _ makeBinding:
      @escaping @Sendable () -> ((_ value: Value, _ stop: inout Bool) -> Signal<Inner>?)
  ) -> Signal<Inner> {
    Signal<Inner> { [source] observer, subscription in
      let merging = Merging(observer, subscription)
      let upstream = subscription.makeChild()
      guard !upstream.isDisposed else { return }
      let binding = SerialState(makeBinding())
      source(
        Observer(
          next: { value in
            if upstream.isDisposed { return }
            var stops = false
            let made = binding.value(value, &stops)
            if let made { merging.add(made) }
            guard stops || made == nil, !upstream.isDisposed else { return }
            upstream.dispose()
            merging.endOuter(.completed)
          },
          end: { termination in
            if upstream.isDisposed { return }
            upstream.dispose()
            merging.endOuter(termination)
          }), upstream)
    }
  }
}
