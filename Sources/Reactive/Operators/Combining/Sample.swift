extension Signal {
  /// Sends the latest value each time another signal sends. RAC: `sample:`.
  ///
  /// - Values: the source's latest value at each value of `sampler`, again if no other came; none
  ///   before the source has sent one.
  /// - Error: of either; the other is disposed.
  /// - Completion: with whichever completes first.
  /// - Disposal: disposes both and releases the latest value.
  /// - Scheduler: where `sampler` sends.
  public func sample<Sampler>(_ sampler: Signal<Sampler>) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let serializer = Serializer(observer, subscription)
      let latest = SerialState<Value?>(nil)
      let keep: @Sendable (Value) -> Void = { latest.value = $0 }
      let send: @Sendable (Sampler) -> Void = { _ in
        if let value = latest.value { serializer.next(value) }
      }
      source(
        Observer(
          next: { serializer.submit($0, to: keep) }, end: { serializer.sendEnd($0) }), subscription)
      guard !subscription.isDisposed else { return }
      sampler.observe(
        Observer(
          next: { serializer.submit($0, to: send) }, end: { serializer.sendEnd($0) }),
        in: subscription)
    }
  }
}
