/// Runs work inline when a scheduler is current, else on a background queue.
final class SubscriptionScheduler: Scheduler, @unchecked Sendable {
  // Unchecked only because its superclass is open: what it adds is immutable.

  private let background = Scheduler.background(named: "reactive.subscription")

  @discardableResult
  override func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    guard Scheduler.current != nil else { return background.schedule(work) }
    let item = ScheduledWork(work)
    item.runOnce()
    return item
  }

  @discardableResult
  override func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    (Scheduler.current ?? background).schedule(after: delay, work)
  }

  @discardableResult
  override func schedule(
    every interval: Duration, leeway: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    (Scheduler.current ?? background).schedule(every: interval, leeway: leeway, work)
  }
}
