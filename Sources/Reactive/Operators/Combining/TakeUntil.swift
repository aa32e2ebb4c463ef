extension Signal {
  /// Ends when another signal sends or completes. RAC: `takeUntil:`.
  ///
  /// - Values: the source's until `trigger` sends a value or completes.
  /// - Error: the source's; an error of `trigger` is ignored.
  /// - Completion: with the first value or the completion of `trigger`, or with the source. If
  ///   `trigger` does so inside its own subscription, the source is not subscribed to.
  /// - Disposal: disposes both.
  /// - Scheduler: whichever of the two sends on.
  public func takeUntil<Trigger>(_ trigger: Signal<Trigger>) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let serializer = Serializer(observer, subscription)
      let upstream = subscription.makeChild()
      let finish: @Sendable () -> Void = {
        upstream.dispose()
        serializer.sendEnd(.completed)
      }
      trigger.observe(
        Observer(
          next: { _ in finish() },
          end: { if case .completed = $0 { finish() } }), in: upstream)
      guard !upstream.isDisposed else { return }
      source(
        Observer(
          next: { serializer.sendNext($0) }, batch: serializer.sendBatch,
          end: { serializer.sendEnd($0) }), upstream)
    }
  }
}
