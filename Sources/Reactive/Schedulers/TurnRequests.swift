import CSignals
import Synchronization

/// Requests that loops without a pause let the loops of main schedulers have a turn.
///
/// Signals that send and end synchronously can keep a thread in a loop: `empty().repeat()`, a long
/// `from`, a subject that feeds itself. While such a loop runs, no timer fires and no OS signal is
/// handled. These loops check for requests at intervals (see `Stretch`). They continue in a later
/// turn if one was requested, because a time limit has passed or an OS signal has arrived. They end
/// with an error if they have run for longer than a time limit.
enum TurnRequests {
  /// The lateness of a limit before loops are interrupted: if the loop turns anyway, no
  /// interruption is needed.
  private static let patience = Duration.milliseconds(20)

  private struct Limit {
    let scheduler: MainScheduler
    /// The due time on the scheduler's clock.
    let due: Duration
  }

  private struct StretchLimit {
    let scheduler: MainScheduler
    let length: Duration
    /// Receives the error of a loop that has no subscriber.
    let onExceeded: @Sendable (SignalError) -> Void
  }

  private struct State {
    var limits: [Int: Limit] = [:]
    var count = 0
    /// The maximum time a loop may run without a pause.
    var stretches: [StretchLimit] = []

    var isEmpty: Bool { limits.isEmpty && stretches.isEmpty }
  }

  private static let state = Mutex(State())
  /// True if `state` contains any limits.
  private static let hasLimits = Atomic<Bool>(false)

  /// The instruction for a loop.
  enum Answer {
    case goOn
    /// Continue in a later turn of the scheduler.
    case pause(MainScheduler)
    case fail(SignalError)
  }

  /// Requests a turn from a time on.
  ///
  /// - Returns: a disposable that withdraws the request.
  static func request(at due: Duration, on scheduler: MainScheduler) -> any Disposable {
    let number = state.withLock { state in
      state.count += 1
      state.limits[state.count] = Limit(scheduler: scheduler, due: due + patience)
      hasLimits.store(true, ordering: .relaxed)
      return state.count
    }
    return ActionDisposable {
      // The removed limit is released outside the lock.
      _ = state.withLock { state in
        defer { hasLimits.store(!state.isEmpty, ordering: .relaxed) }
        return state.limits.removeValue(forKey: number)
      }
    }
  }

  /// Limits the time of loops on a scheduler's thread; nil removes the limit.
  static func limitStretches(
    to length: Duration?, on scheduler: MainScheduler,
    _ onExceeded: @escaping @Sendable (SignalError) -> Void
  ) {
    _ = state.withLock { state in
      let former = state.stretches
      state.stretches.removeAll { $0.scheduler === scheduler }
      if let length {
        state.stretches.append(
          StretchLimit(scheduler: scheduler, length: length, onExceeded: onExceeded))
      }
      hasLimits.store(!state.isEmpty, ordering: .relaxed)
      return former
    }
  }

  /// Reports the error of a loop of the calling thread that has ended without a subscriber.
  static func tell(of error: SignalError) {
    let stretches = state.withLock { $0.stretches }
    stretches.first { $0.scheduler.isCurrent }?.onExceeded(error)
  }

  /// True if there is nothing to check.
  static var areNone: Bool {
    !csignals_is_turn_requested() && !hasLimits.load(ordering: .relaxed)
  }

  /// Returns the instruction for a loop on the calling thread that has run since a time on the
  /// monotonic clock.
  ///
  /// - Parameter canFail: false if the loop has nobody to send an error to: it pauses instead, so
  ///   that what ends it from outside has a turn.
  static func answer(toLoopSince start: Duration, canFail: Bool) -> Answer {
    let (limits, stretches) = state.withLock { (Array($0.limits.values), $0.stretches) }
    let ran = MonotonicClock.now - start
    if let exceeded = stretches.first(where: { $0.length <= ran && $0.scheduler.isCurrent }) {
      return canFail ? .fail(.endless(after: exceeded.length)) : .pause(exceeded.scheduler)
    }
    // An OS signal waits for a turn.
    if csignals_is_turn_requested(), let scheduler = current { return .pause(scheduler) }
    let due = limits.first { $0.due <= $0.scheduler.now && $0.scheduler.isCurrent }
    return due.map { .pause(current ?? $0.scheduler) } ?? .goOn
  }

  /// The calling thread's current scheduler, if it is a main scheduler.
  private static var current: MainScheduler? { Scheduler.current as? MainScheduler }
}

extension MainScheduler {
  /// Sets the maximum time that signals may keep this scheduler's thread in a synchronous loop;
  /// after that the loop ends with `SignalError.endless`. Nil, the default, means no limit.
  ///
  /// Set it to nil before the scheduler is released.
  ///
  /// - Parameter onExceeded: called on the loop's thread with the error of a loop that has no
  ///   subscriber to receive it: work that schedules itself again. What it has scheduled is dropped.
  public func limitLoops(
    to length: Duration?, onExceeded: @escaping @Sendable (SignalError) -> Void = { _ in }
  ) {
    TurnRequests.limitStretches(to: length, on: self, onExceeded)
  }
}

extension Scheduler {
  /// Does the same as `schedule(after:)`, for work that ends something because it took too long.
  /// Synchronous loops of signals on a main scheduler's thread, which would delay all other work,
  /// yield to it.
  @discardableResult
  public final func schedule(
    limit: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    guard let main = self as? MainScheduler else { return schedule(after: limit, work) }
    let request = TurnRequests.request(at: main.now + limit, on: main)
    let timer = schedule(after: limit) {
      request.dispose()
      work()
    }
    return CompoundDisposable([request, timer])
  }
}
