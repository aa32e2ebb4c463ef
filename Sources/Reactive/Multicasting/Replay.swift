import Synchronization

extension Signal {
  /// Subscribes once, immediately, and sends every subscriber all events. RAC: `replay`.
  ///
  /// - Values: the source's; late subscribers receive the past ones first.
  /// - Error: remembered for late subscribers.
  /// - Completion: remembered for late subscribers.
  /// - Disposal: of a subscriber, concerns that one only. The source is disposed when neither the
  ///   returned signal nor a subscriber is left.
  /// - Scheduler: the source's; past values arrive where the subscription is made.
  public func replay() -> Signal {
    let lease = ConnectionLease(multicast(ReplaySubject()))
    lease.connection.connect()
    return lease.signal()
  }

  /// Subscribes once, immediately, and sends every subscriber the latest value and all later
  /// events. RAC: `replayLast`.
  ///
  /// - Values: the source's; late subscribers receive the latest one first.
  /// - Error: remembered for late subscribers.
  /// - Completion: remembered for late subscribers.
  /// - Disposal: of a subscriber, concerns that one only. The source is disposed when neither the
  ///   returned signal nor a subscriber is left; RAC's never was.
  /// - Scheduler: the source's; the latest value arrives where the subscription is made.
  public func replayLast() -> Signal {
    let lease = ConnectionLease(multicast(ReplaySubject(capacity: 1)))
    lease.connection.connect()
    return lease.signal()
  }

  /// Subscribes once, at the first subscription, and sends every subscriber all events. RAC:
  /// `replayLazily`.
  ///
  /// - Values: the source's; late subscribers receive the past ones first.
  /// - Error: remembered for late subscribers.
  /// - Completion: remembered for late subscribers.
  /// - Disposal: of a subscriber, concerns that one only. The source is disposed when neither the
  ///   returned signal nor a subscriber is left.
  /// - Scheduler: the source's; past values arrive where the subscription is made.
  public func replayLazily() -> Signal {
    ConnectionLease(multicast(ReplaySubject())).signal()
  }
}

/// Ends a connection once nothing can receive from it any more: the replayed signal and each of its
/// subscriptions retain the lease, and the subscription to the source does not.
private final class ConnectionLease<Value: Sendable>: Sendable {
  let connection: MulticastConnection<Value>

  init(_ connection: MulticastConnection<Value>) {
    self.connection = connection
  }

  deinit {
    connection.dispose()
  }

  func signal() -> Signal<Value> {
    Signal { [self] observer, subscription in
      connection.signal.observe(observer, in: subscription)
      let share = Share(self)
      subscription.addAsync { [connection] done in
        share.release()
        connection.whenEnded(done)
      }
      connection.connect()
    }
  }

  /// One subscription's reference to the lease.
  private final class Share: Sendable {
    private let lease: Mutex<ConnectionLease?>

    init(_ lease: ConnectionLease) {
      self.lease = Mutex(lease)
    }

    func release() {
      // The lease is released outside the lock.
      _ = lease.withLock { $0.take() }
    }
  }
}
