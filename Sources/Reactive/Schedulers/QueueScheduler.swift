@preconcurrency import Dispatch

/// Runs work on a serial dispatch queue: one of its own on the global pool, or one with a target.
/// RAC: `RACTargetQueueScheduler`.
public final class QueueScheduler: Scheduler, @unchecked Sendable {
  private let queue: DispatchQueue

  /// A serial queue that runs on `target`, or on the global pool.
  public init(named name: String = "reactive.queue", target: DispatchQueue? = nil) {
    queue = DispatchQueue(label: name, target: target)
  }

  @discardableResult
  override public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    let item = ScheduledWork(work)
    queue.async { self.perform { item.runOnce() } }
    return item
  }

  @discardableResult
  override public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let item = ScheduledWork(work)
    queue.startTimer(item, after: delay) { self.perform { item.runOnce() } }
    return item
  }

  @discardableResult
  override public func schedule(
    every interval: Duration, leeway: Duration = .zero, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let item = ScheduledWork(work)
    queue.startTimer(item, after: interval, every: interval, leeway: leeway) {
      self.perform { item.run() }
    }
    return item
  }
}

extension DispatchQueue {
  /// Starts a monotonic timer that ends with the disposal of `item`, or after its one run.
  func startTimer(
    _ item: ScheduledWork, after delay: Duration, every interval: Duration? = nil,
    leeway: Duration = .zero, _ fire: @escaping @Sendable () -> Void
  ) {
    let timer = DispatchSource.makeTimerSource(queue: self)
    let repeating = interval.map { DispatchTimeInterval($0) } ?? .never
    timer.schedule(
      deadline: .now() + DispatchTimeInterval(delay), repeating: repeating,
      leeway: DispatchTimeInterval(leeway))
    timer.setEventHandler {
      fire()
      if interval == nil { item.dispose() }
    }
    item.onDispose { timer.cancel() }
    timer.activate()
  }
}

extension DispatchTimeInterval {
  /// A duration rounded up to nanoseconds, so that nothing fires early.
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = (attoseconds + 999_999_999) / 1_000_000_000
    let (total, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    self = overflow ? .never : .nanoseconds(Int(clamping: total &+ nanoseconds))
  }
}
