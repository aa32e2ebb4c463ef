/// Where and when work runs. RAC: `RACScheduler`.
///
/// Work of one scheduler runs one piece at a time, in order. Time is monotonic: the wall clock may
/// jump without effect. Inside every piece of work, delayed and repeated ones included, `current` is
/// the scheduler that runs it; `immediate` alone leaves the current scheduler what it was.
open class Scheduler: @unchecked Sendable {
  // Unchecked only because the class is open; subclasses keep their state sendable.

  /// For subclasses.
  public init() {}

  /// Runs work at once, on the calling thread. Work scheduled from inside such work runs after it, in
  /// a loop, so that recursion uses no stack. `current` stays the scheduler, if any, whose work
  /// schedules; delayed work runs on a serial queue, which is current there, and blocks nobody. RAC:
  /// `immediateScheduler`.
  public static let immediate: Scheduler = ImmediateScheduler()

  /// Runs work on the main event loop; always a hop, first in, first out. RAC: `mainThreadScheduler`.
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

  /// The scheduler whose work the calling thread is running; on the main thread outside any work, the
  /// main one. RAC: `currentScheduler`.
  public static var current: Scheduler? {
    CurrentScheduler.value ?? (main.isCurrent ? main : nil)
  }

  /// The monotonic time that delays are counted on; only differences mean something.
  open var now: Duration { MonotonicClock.now }

  /// Whether the calling thread may not be blocked in wait for this scheduler's work.
  open var isCurrent: Bool { CurrentScheduler.value === self }

  /// Runs `work` as soon as its turn comes.
  ///
  /// - Returns: disposing it before then drops the work.
  @discardableResult
  open func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
    schedule(after: .zero, work)
  }

  /// Runs `work` once `delay` has passed, never earlier.
  ///
  /// - Returns: disposing it before then drops the work.
  @discardableResult
  open func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    preconditionFailure("a scheduler implements schedule(after:)")
  }

  /// Runs `work` after each `interval`, counted from now without drift, until it is disposed.
  ///
  /// - Parameters:
  ///   - interval: the time between two runs; more than zero.
  ///   - leeway: how late a run may be, to save energy.
  @discardableResult
  open func schedule(
    every interval: Duration, leeway: Duration = .zero, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    preconditionFailure("a scheduler implements schedule(every:)")
  }

  /// Runs `work`, which runs again each time it calls what it is given; no stack is used per round.
  /// RAC: `scheduleRecursiveBlock:`.
  @discardableResult
  public final func scheduleRecursively(
    _ work: @escaping @Sendable (_ again: @escaping @Sendable () -> Void) -> Void
  ) -> any Disposable {
    let recursion = Recursion(on: self, work)
    recursion.start()
    return recursion
  }

  /// Runs `work` here and now with this scheduler as the current one; for subclasses.
  public final func perform(_ work: () -> Void) {
    CurrentScheduler.with(self, work)
  }
}
