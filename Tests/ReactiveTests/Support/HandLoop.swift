import Platform
import Reactive
import Synchronization

/// A main loop that a test turns by hand.
final class HandLoop: MainLoop {
  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let timers = Mutex<[(ScheduledWork, Duration?, @Sendable () -> Void)]>([])
  /// The thread that turns the loop at this moment.
  private let turning = Mutex<pthread_t?>(nil)

  /// The time of the loop's clock, which the test moves.
  let clock = Mutex(Duration.zero)

  var now: Duration { clock.withLock { $0 } }

  var isCurrent: Bool {
    turning.withLock { thread in thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  func enqueue(_ job: @escaping @Sendable () -> Void) {
    jobs.withLock { $0.append(job) }
  }

  func startTimer(
    _ item: ScheduledWork, after delay: Duration, every interval: Duration?, leeway: Duration,
    _ fire: @escaping @Sendable () -> Void
  ) {
    timers.withLock { $0.append((item, interval, fire)) }
  }

  /// Whether jobs wait for a turn.
  var isWaiting: Bool { jobs.withLock { !$0.isEmpty } }

  func turn() {
    let due = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    turning.withLock { $0 = pthread_self() }
    for job in due { job() }
    turning.withLock { $0 = nil }
  }

  /// Turns until no job waits.
  func turnAll() {
    while isWaiting { turn() }
  }

  func fireTimers() {
    for (item, _, fire) in timers.withLock({ $0 }) where !item.isDisposed { fire() }
  }
}
