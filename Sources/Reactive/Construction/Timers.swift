extension Signal where Value == Duration {
  /// Sends repeatedly at an interval. RAC: `interval:onScheduler:withLeeway:`.
  ///
  /// - Values: the scheduler's time at each round; only differences between such times mean
  ///   something.
  /// - Error: none.
  /// - Completion: never.
  /// - Disposal: stops the timer.
  /// - Scheduler: sends on `scheduler`.
  ///
  /// - Parameters:
  ///   - interval: the time between two values, and before the first; more than zero. The rounds are
  ///     counted from the subscription, without drift, on a monotonic clock.
  ///   - scheduler: keeps the time.
  ///   - leeway: how late a value may be, to save energy.
  public static func interval(
    _ interval: Duration, on scheduler: Scheduler, leeway: Duration = .zero
  ) -> Signal {
    precondition(interval > .zero, "an interval lasts longer than nothing")
    return Signal { observer, subscription in
      subscription.add(
        scheduler.schedule(every: interval, leeway: leeway) {
          if !subscription.isDisposed { observer.next(scheduler.now) }
        })
    }
  }

  /// Sends once after a delay.
  ///
  /// - Values: the scheduler's time when the delay is over.
  /// - Error: none.
  /// - Completion: after the value.
  /// - Disposal: stops the timer.
  /// - Scheduler: sends on `scheduler`.
  ///
  /// - Parameters:
  ///   - delay: the time from the subscription on, on a monotonic clock; never less passes.
  ///   - scheduler: keeps the time.
  public static func timer(after delay: Duration, on scheduler: Scheduler) -> Signal {
    Signal { observer, subscription in
      subscription.add(
        scheduler.schedule(after: delay) {
          guard !subscription.isDisposed else { return }
          observer.next(scheduler.now)
          if !subscription.isDisposed { observer.end(.completed) }
        })
    }
  }
}
