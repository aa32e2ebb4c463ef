import Synchronization

/// Requests that loops without a pause give the loops of main schedulers a turn.
///
/// Signals that send and end synchronously can keep a thread in a loop: `empty().repeat()`, a long
/// `from`, a subject that feeds itself. While it goes round, no timer fires and no signal of the OS is
/// handled. Such loops look here at intervals (see `Stretch`). They go on in a later turn when somebody
/// waits for one, because a limit of time is over or an OS signal has come, and end with an error when
/// they have run for longer than a time limit.
enum TurnRequests {
  /// How late a limit may be before loops are disturbed: when the loop turns anyway, they need not be.
  private static let patience = Duration.milliseconds(20)

  private struct Limit {
    let scheduler: MainScheduler
    /// By the scheduler's clock.
    let due: Duration
  }

  private struct State {
    var limits: [Int: Limit] = [:]
    var count = 0
    /// How long a loop may run at a stretch.
    var stretches: [(scheduler: MainScheduler, length: Duration)] = []

    var isEmpty: Bool { limits.isEmpty && stretches.isEmpty }
  }

  private static let state = Mutex(State())
  /// Whether there is anything in `state`.
  private static let hasLimits = Atomic<Bool>(false)
  /// Whether an OS signal waits for a turn.
  private static let isRequested = Atomic<Bool>(false)

  /// What a loop has to do.
  enum Answer {
    case goOn
    /// Go on in a later turn of the scheduler.
    case pause(MainScheduler)
    case fail(SignalError)
  }

  /// Asks for a turn until `withdraw`; a signal handler may.
  static func request() { isRequested.store(true, ordering: .relaxed) }

  static func withdraw() { isRequested.store(false, ordering: .relaxed) }

  /// Asks for a turn from a time on.
  ///
  /// - Returns: disposing it withdraws that.
  static func request(at due: Duration, on scheduler: MainScheduler) -> any Disposable {
    let number = state.withLock { state in
      state.count += 1
      state.limits[state.count] = Limit(scheduler: scheduler, due: due + patience)
      hasLimits.store(true, ordering: .relaxed)
      return state.count
    }
    return ActionDisposable {
      // What is taken out is released after the lock.
      _ = state.withLock { state in
        defer { hasLimits.store(!state.isEmpty, ordering: .relaxed) }
        return state.limits.removeValue(forKey: number)
      }
    }
  }

  /// Limits the time of loops on the thread of a scheduler, or with nil no longer does.
  static func limitStretches(to length: Duration?, on scheduler: MainScheduler) {
    _ = state.withLock { state in
      let former = state.stretches
      state.stretches.removeAll { $0.scheduler === scheduler }
      if let length { state.stretches.append((scheduler, length)) }
      hasLimits.store(!state.isEmpty, ordering: .relaxed)
      return former
    }
  }

  /// Whether a loop need not ask any further.
  static var areNone: Bool {
    !isRequested.load(ordering: .relaxed) && !hasLimits.load(ordering: .relaxed)
  }

  /// What a loop on the calling thread has to do, which has run since a time by the monotonic clock.
  static func answer(toLoopSince start: Duration) -> Answer {
    let (limits, stretches) = state.withLock { (Array($0.limits.values), $0.stretches) }
    let ran = MonotonicClock.now - start
    if let exceeded = stretches.first(where: { $0.length <= ran && $0.scheduler.isCurrent }) {
      return .fail(.endless(after: exceeded.length))
    }
    if isRequested.load(ordering: .relaxed), let scheduler = current { return .pause(scheduler) }
    let due = limits.first { $0.due <= $0.scheduler.now && $0.scheduler.isCurrent }
    return due.map { .pause(current ?? $0.scheduler) } ?? .goOn
  }

  /// The main scheduler of the calling thread, if it is one of a main loop.
  private static var current: MainScheduler? { Scheduler.current as? MainScheduler }
}

extension MainScheduler {
  /// Asks synchronous loops of signals on main threads to let their event loops have a turn, until
  /// `withdrawTurnRequest`. May be called in a signal handler.
  public static func requestTurn() { TurnRequests.request() }

  /// Takes the request for a turn back: the event loop has had it.
  public static func withdrawTurnRequest() { TurnRequests.withdraw() }

  /// How long signals may keep this scheduler's thread in a synchronous loop; then the loop ends with
  /// `SignalError.endless`. Nil, as it is at first, for ever.
  ///
  /// Set it to nil before the scheduler is dropped.
  public func limitLoops(to length: Duration?) {
    TurnRequests.limitStretches(to: length, on: self)
  }
}

extension Scheduler {
  /// As `schedule(after:)`, for work that ends something because it took too long: synchronous loops of
  /// signals on a main scheduler's thread, which nothing else would come through, give way to it.
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
