import EventLoop
import Platform
import Reactive
import Synchronization

/// A main loop whose clock moves only when a test advances it. Jobs run on the real loop as usual,
/// and processes and files use real time.
final class VirtualTime: MainLoop {
  private let loop: EventLoop
  private let context: LoopBound<ExecutionContext>
  private let clock = VirtualTimeScheduler()
  /// The number of jobs that have been enqueued and have not begun.
  private let waitingJobs = Atomic(0)

  init(loop: EventLoop, _ context: ExecutionContext) {
    self.loop = loop
    self.context = LoopBound(context)
  }

  /// The time since the start, which was zero.
  var now: Duration { clock.now }

  /// The number of pending timers.
  var pendingCount: Int { clock.pendingCount }

  // MARK: The main loop

  var isCurrent: Bool { loop.isCurrent }

  func enqueue(_ job: @escaping @Sendable () -> Void) {
    waitingJobs.wrappingAdd(1, ordering: .relaxed)
    let job = loop.isCurrent ? context.value.keeping(job) : job
    loop.enqueue { [self] in
      waitingJobs.wrappingSubtract(1, ordering: .relaxed)
      job()
    }
  }

  func startTimer(
    _ item: ScheduledWork, after delay: Duration, every interval: Duration?, leeway: Duration,
    _ fire: @escaping @Sendable () -> Void
  ) {
    let fire = loop.isCurrent ? context.value.keeping(fire) : fire
    let timer =
      interval.map { clock.schedule(every: $0, fire) } ?? clock.schedule(after: delay, fire)
    item.onDispose { [weak timer] in timer?.dispose() }
  }

  // MARK: Advancing

  /// Advances the time to a target, timer by timer, each in a turn of the loop after all jobs that
  /// the earlier ones started have run.
  ///
  /// - Parameters:
  ///   - target: the final time; nil to run until no timer is pending.
  ///   - limit: the most steps to take.
  ///   - isCancelled: called before each step.
  ///   - done: receives true if the target was reached within the limit; called on the loop's
  ///     thread.
  func move(
    to target: Duration?, atMost limit: Int, unless isCancelled: @escaping @Sendable () -> Bool,
    _ done: @escaping @Sendable (Bool) -> Void
  ) {
    whenJobsHaveRun(unless: isCancelled) { [self] in
      guard let next = clock.nextTime, next <= target ?? next else {
        if let target, target > now { clock.advance(by: target - now) }
        return done(true)
      }
      guard limit > 0 else { return done(false) }
      clock.advance(by: next - now)
      move(to: target, atMost: limit - 1, unless: isCancelled, done)
    }
  }

  /// Advances the time to the next timer and runs that one alone, with the jobs that it starts.
  ///
  /// - Parameters:
  ///   - isCancelled: called before each turn of the loop.
  ///   - done: receives true if there was a timer; called on the loop's thread.
  func step(
    unless isCancelled: @escaping @Sendable () -> Bool, _ done: @escaping @Sendable (Bool) -> Void
  ) {
    whenJobsHaveRun(unless: isCancelled) { [self] in
      let hasRun = clock.step()
      whenJobsHaveRun(unless: isCancelled) { done(hasRun) }
    }
  }

  private func whenJobsHaveRun(
    unless isCancelled: @escaping @Sendable () -> Bool, _ work: @escaping @Sendable () -> Void
  ) {
    loop.enqueue { [self] in
      guard !isCancelled() else { return }
      guard waitingJobs.load(ordering: .relaxed) == 0 else {
        return whenJobsHaveRun(unless: isCancelled, work)
      }
      work()
    }
  }
}
