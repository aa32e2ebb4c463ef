import EventLoop
import LuaRuntime
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
    let job = loop.isCurrent ? context.value.inheriting(job) : job
    loop.enqueue { [self] in
      waitingJobs.wrappingSubtract(1, ordering: .relaxed)
      job()
    }
  }

  func startTimer(
    _ item: ScheduledWork, after delay: Duration, every interval: Duration?, leeway: Duration,
    _ fire: @escaping @Sendable () -> Void
  ) {
    let fire = loop.isCurrent ? context.value.inheriting(fire) : fire
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
  ///   - end: the time on the clock of `LuaInterpreter.now` at which it gives up; nil for never.
  ///   - isCancelled: called before each step.
  ///   - done: called on the loop's thread.
  func move(
    to target: Duration?, atMost limit: Int, until end: Duration?,
    unless isCancelled: @escaping @Sendable () -> Bool,
    _ done: @escaping @Sendable (MoveEnd) -> Void
  ) {
    whenJobsHaveRun(unless: isCancelled) { [self] in
      guard let next = clock.nextTime, next <= target ?? next else {
        if let target, target > now { clock.advance(by: target - now) }
        return done(.reached)
      }
      guard limit > 0 else { return done(.tooManySteps) }
      var left = Self.mostAtOnce
      var isLate = false
      let isDone = clock.advance(by: next - now) {
        left -= 1
        isLate = end.map { $0 <= LuaInterpreter.now } ?? false
        return left >= 0 && !isLate && !isCancelled()
      }
      if isLate { return done(.late) }
      guard isDone || isCancelled() else { return done(.tooManyAtOnce) }
      move(to: target, atMost: limit - 1, until: end, unless: isCancelled, done)
    }
  }

  /// The end of an advance.
  enum MoveEnd {
    case reached
    /// It took more steps than it may.
    case tooManySteps
    /// More than `mostAtOnce` timers ran at one moment.
    case tooManyAtOnce
    /// The time at which it gives up has come.
    case late
  }

  /// The most timers that run while the time does not move.
  static let mostAtOnce = 100_000

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
