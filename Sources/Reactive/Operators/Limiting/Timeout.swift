extension Signal {
  /// Fails if the signal has not ended in time. RAC: `timeout:onScheduler:`.
  ///
  /// - Values: the source's.
  /// - Error: `SignalError.timedOut` when `interval` has passed since the subscription, however many
  ///   values came; or the source's.
  /// - Completion: with the source, in time.
  /// - Disposal: disposes the source and stops the timer; so does the timeout.
  /// - Scheduler: the timeout arrives on `scheduler`, everything else as the source sends it.
  ///
  /// - Parameters:
  ///   - interval: the time for the whole signal, on a monotonic clock.
  ///   - scheduler: keeps the time; nil for the one that is current at the subscription, or a
  ///     background queue.
  public func timeout(_ interval: Duration, on scheduler: Scheduler? = nil) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let downstream = Serializer(observer, subscription)
      let upstream = subscription.makeChild()
      let timer = subscription.addLimit(interval, on: .forTimers(scheduler)) {
        upstream.dispose()
        downstream.sendEnd(.error(SignalError.timedOut(after: interval)))
      }
      source(
        Observer(
          next: { downstream.sendNext($0) }, batch: downstream.sendBatch,
          end: {
            timer.dispose()
            downstream.sendEnd($0)
          }), upstream)
    }
  }
}
