import Reactive
import Synchronization

/// The number of attempts replayed to a late subscriber: an execution may retry forever.
let replayedAttempts = 1_000

/// The timeout and the retries of one execution.
final class Supervision: Sendable {
  let options: ExecutionOptions
  /// Sends every attempt; replays the latest ones.
  let attempts = ReplaySubject<Attempt>(capacity: replayedAttempts)
  private let started = Mutex(0)
  /// The timer of the timeout.
  let limit = Mutex(TimeLimit())
  /// The work, which may be subscribed again; nil before the start and after the end.
  let work = Mutex<Work?>(nil)

  init(_ options: ExecutionOptions) {
    self.options = options
  }

  /// Notes the first attempt, which starts now.
  func first() {
    started.withLock { $0 = 1 }
    attempts.sendNext(Attempt(number: 1, cause: nil, delay: .zero))
  }

  /// Returns the attempt that follows a failure, or nil if there is none.
  func next(after error: any Error) -> Attempt? {
    guard let retry = options.retry else { return nil }
    return started.withLock { started in
      guard started <= retry.times else { return nil }
      started += 1
      return Attempt(number: started, cause: error, delay: retry.delay(before: started))
    }
  }
}

/// The state of a timeout.
struct TimeLimit: Sendable {
  /// Ends the timer that runs.
  var timer: (any Disposable)?
  /// The time at which it fires, on the clock of its scheduler.
  var due: Duration = .zero
  /// What is left of it while it is stopped.
  var rest: Duration?
  /// The number of reasons to stop it.
  var pauses = 0
}
