/// The place and time at which work runs. RAC: `RACScheduler`.
///
/// A scheduler runs one piece of work at a time, in order. Time is monotonic and unaffected by
/// jumps of the wall clock. Inside every piece of work, including delayed and repeated ones,
/// `current` is the scheduler that runs it; only `immediate` leaves the current scheduler
/// unchanged.
open class Scheduler: @unchecked Sendable {
  // Unchecked only because the class is open; subclasses keep their state sendable.

  /// For subclasses.
  public init() {}

  /// Runs work at once, on the calling thread. Work scheduled from inside such work runs after it,
  /// in a loop, so recursion uses no stack. `current` stays the scheduler, if any, whose work
  /// schedules. Delayed work runs on a serial queue, which is current there, and does not block the
  /// caller. RAC: `immediateScheduler`.
  public static let immediate: Scheduler = ImmediateScheduler()

  /// Runs work on the main event loop; always a hop, first in, first out. RAC:
  /// `mainThreadScheduler`.
  public static let main = MainScheduler(loop: DispatchMainLoop())

  /// Runs work inline when a scheduler is current, else in the background. RAC:
  /// `subscriptionScheduler`.
  public static let subscription: Scheduler = SubscriptionScheduler()

  /// A new serial queue on the global pool of threads. RAC: `scheduler`,
  /// `schedulerWithPriority:name:`.
  public static func background(
    named name: String = "reactive.background", priority: Priority = .default
  ) -> Scheduler {
    QueueScheduler(named: name, priority: priority)
  }

  /// The scheduler whose work the calling thread is running; on the main thread outside any work,
  /// the main scheduler. RAC: `currentScheduler`.
  public static var current: Scheduler? {
    CurrentScheduler.value ?? (main.isCurrent ? main : nil)
  }

  /// The monotonic time that delays are measured in; only differences are meaningful.
  open var now: Duration { MonotonicClock.now }

  /// True if the calling thread must not block to wait for this scheduler's work.
  open var isCurrent: Bool { CurrentScheduler.value === self }

  /// Runs `work` as soon as its turn comes.
  ///
  /// - Returns: a disposable that drops the work if it has not run.
  @discardableResult
  open func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    schedule(after: .zero, work)
  }

  /// Runs `work` once `delay` has passed, never earlier.
  ///
  /// - Returns: a disposable that drops the work if it has not run.
  @discardableResult
  open func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    preconditionFailure("a scheduler implements schedule(after:)")
  }

  /// Runs `work` after each `interval`, counted from now without drift, until it is disposed.
  ///
  /// - Parameters:
  ///   - interval: the time between two runs; greater than zero.
  ///   - leeway: the maximum lateness of a run, to save energy.
  @discardableResult
  open func schedule(
    every interval: Duration, leeway: Duration = .zero, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    preconditionFailure("a scheduler implements schedule(every:)")
  }

  /// Runs `work`, which runs again each time it calls its argument; rounds use no stack. RAC:
  /// `scheduleRecursiveBlock:`.
  @discardableResult
  public final func scheduleRecursively(
    _ work: @escaping @Sendable (_ again: @escaping @Sendable () -> Void) -> Void
  ) -> any Disposable {
    let recursion = Recursion(on: self, work)
    recursion.start()
    return recursion
  }

  /// Runs `work` synchronously with this scheduler as the current one; for subclasses.
  public final func perform(_ work: () -> Void) {
    CurrentScheduler.with(self, work)
  }
}
