import Synchronization

extension Scheduler {
  /// The scheduler for a timer that an operator starts at its subscription: the given one, or the
  /// current one, or a background queue. RAC required a current one.
  static func forTimers(_ given: Scheduler?) -> Scheduler {
    given ?? current ?? background(named: "reactive.timers")
  }
}

/// The scheduler for timers that an operator starts at its source's events: the given one, or the
/// current one where the event arrives, or a serial queue of the operator's own.
final class EventScheduler: Sendable {
  private let given: Scheduler?
  private let own = Mutex<Scheduler?>(nil)

  init(_ given: Scheduler?) {
    self.given = given
  }

  /// The scheduler for an event that is arriving on this thread.
  var here: Scheduler {
    given ?? Scheduler.current
      ?? own.withLock { own in
        let scheduler = own ?? .background(named: "reactive.timers")
        own = scheduler
        return scheduler
      }
  }
}

extension CompoundDisposable {
  /// Runs `work` on a scheduler after a delay, unless this subscription is disposed before. The
  /// subscription releases the timer and the work once it has run.
  ///
  /// - Returns: the timer alone, for disposing it earlier.
  @discardableResult
  func addTimer(
    after delay: Duration, on scheduler: Scheduler, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    addWork(work) { scheduler.schedule(after: delay, $0) }
  }

  /// Does the same as `addTimer`, for a time limit; see `Scheduler.schedule(limit:)`.
  func addLimit(
    _ limit: Duration, on scheduler: Scheduler, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    addWork(work) { scheduler.schedule(limit: limit, $0) }
  }

  /// Runs `work` in a later turn of a scheduler, unless this subscription is disposed before.
  func addTurn(on scheduler: Scheduler, _ work: @escaping @Sendable () -> Void) {
    addWork(work) { scheduler.schedule($0) }
  }

  @discardableResult
  private func addWork(
    _ work: @escaping @Sendable () -> Void,
    _ schedule: (@escaping @Sendable () -> Void) -> any Disposable
  ) -> any Disposable {
    let scheduled = makeChild()
    scheduled.add(
      schedule {
        guard !scheduled.isDisposed else { return }
        scheduled.dispose()
        work()
      })
    return scheduled
  }
}
