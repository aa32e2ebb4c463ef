extension Signal {
  /// Subscribes to the source on a scheduler. RAC: `subscribeOn:`.
  ///
  /// - Values: the source's, where it sends them.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source; before the scheduler's turn comes, prevents the subscription.
  /// - Scheduler: the subscription is made on `scheduler`; use `deliverOn` for the events.
  public func subscribeOn(_ scheduler: Scheduler) -> Signal<Value> {
    Signal { [source] observer, subscription in
      subscription.add(
        scheduler.schedule {
          if !subscription.isDisposed { source(observer, subscription) }
        })
    }
  }
}
