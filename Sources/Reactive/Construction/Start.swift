extension Signal {
  /// Starts work once, immediately, and sends every subscriber all of its events. RAC:
  /// `startEagerlyWithScheduler:block:`.
  ///
  /// - Values: what the block sends, replayed to late subscribers.
  /// - Error: what the block sends.
  /// - Completion: when the block sends it.
  /// - Disposal: of a subscriber, concerns that one only; the work goes on.
  /// - Scheduler: the block runs on `scheduler`; live events arrive where it sends them, replayed
  ///   ones where the subscription is made.
  public static func startEagerly(
    on scheduler: Scheduler, _ block: @escaping @Sendable (Subscriber<Value>) -> Void
  ) -> Signal {
    let started = startedOnce(on: scheduler, block)
    started.connect()
    return started.signal
  }

  /// Starts work once, at the first subscription, and sends every subscriber all of its events.
  /// RAC: `startLazilyWithScheduler:block:`.
  ///
  /// - Values: what the block sends, replayed to late subscribers.
  /// - Error: what the block sends.
  /// - Completion: when the block sends it.
  /// - Disposal: of a subscriber, concerns that one only; the work goes on.
  /// - Scheduler: the block runs on `scheduler`; live events arrive where it sends them, replayed
  ///   ones where the subscription is made.
  public static func startLazily(
    on scheduler: Scheduler, _ block: @escaping @Sendable (Subscriber<Value>) -> Void
  ) -> Signal {
    let started = startedOnce(on: scheduler, block)
    return Signal { observer, subscription in
      started.signal.observe(observer, in: subscription)
      started.connect()
    }
  }

  private static func startedOnce(
    on scheduler: Scheduler, _ block: @escaping @Sendable (Subscriber<Value>) -> Void
  ) -> MulticastConnection<Value> {
    let work = Signal.create { subscriber in
      scheduler.schedule { block(subscriber) }
    }
    return work.multicast(ReplaySubject())
  }
}
