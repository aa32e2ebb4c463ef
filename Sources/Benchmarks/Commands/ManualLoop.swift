import Reactive
import Synchronization

/// The least that a main loop can be: a list of jobs that the benchmark works off.
final class ManualLoop: MainLoop {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  var isCurrent: Bool { true }

  func enqueue(_ job: @escaping @Sendable () -> Void) {
    state.withLock { $0.jobs.append(job) }
  }

  func startTimer(
    _ item: ScheduledWork, after delay: Duration, every interval: Duration?, leeway: Duration,
    _ fire: @escaping @Sendable () -> Void
  ) {}

  /// Works off what is there and what comes meanwhile.
  func run() {
    while true {
      let jobs = state.withLock { state in
        defer { state.jobs = [] }
        return state.jobs
      }
      if jobs.isEmpty { return }
      for job in jobs { job() }
    }
  }
}
