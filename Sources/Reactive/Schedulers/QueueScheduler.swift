@preconcurrency import Dispatch

/// Runs work on a serial dispatch queue: its own, which may have a target, or a given one. RAC:
/// `RACQueueScheduler`, `RACTargetQueueScheduler`.
public final class QueueScheduler: Scheduler, @unchecked Sendable {
  // Unchecked only because its superclass is open: what it adds is immutable.

  /// The queue that runs the work.
  public let queue: DispatchQueue

  /// A new serial queue that runs on `target`, or on the global pool.
  ///
  /// - Parameters:
  ///   - priority: the priority at which the pool gives the queue a thread; nil for the target's.
  ///   - target: the queue whose threads the new one uses; it may be concurrent.
  public init(
    named name: String = "reactive.queue", priority: Priority? = nil,
    target: DispatchQueue? = nil
  ) {
    queue = DispatchQueue(
      label: name, qos: priority?.qualityOfService ?? .unspecified, target: target)
  }

  /// Runs work directly on a queue, in one order with all other work on that queue.
  ///
  /// - Parameter queue: a serial queue. On a concurrent one, pieces of work would run side by side,
  ///   which no scheduler does. Such a queue can be the target of a new one instead.
  public init(queue: DispatchQueue) {
    self.queue = queue
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
