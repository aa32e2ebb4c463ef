import Synchronization

/// Work that runs again each time it requests that, as a loop: a request made while the work runs
/// adds a round to the loop, and a later one schedules it anew.
final class Recursion: Disposable {
  private struct State {
    var work: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    var requests = 0
    var isRunning = false
    /// The number of times the loop was scheduled.
    var starts = 0
    /// The loop that is scheduled or running.
    var scheduled: (any Disposable)?
  }

  private let scheduler: Scheduler
  private let state: Mutex<State>

  init(
    on scheduler: Scheduler,
    _ work: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.scheduler = scheduler
    state = Mutex(State(work: work))
  }

  var isDisposed: Bool {
    state.withLock { $0.work == nil }
  }

  func start() {
    request()
  }

  func dispose() {
    // The removed work is released outside the lock.
    let (_, scheduled) = state.withLock { state in (state.work.take(), state.scheduled.take()) }
    scheduled?.dispose()
  }

  private func request() {
    let start: Int? = state.withLock { state in
      state.requests += 1
      guard !state.isRunning, state.work != nil else { return nil }
      state.isRunning = true
      state.starts += 1
      return state.starts
    }
    if let start { keep(scheduler.schedule { self.loop() }, start) }
  }

  /// Keeps the disposable of the scheduled loop, unless that loop is already over: it may have run
  /// before the scheduler returned, and another one may have been scheduled since.
  private func keep(_ scheduled: any Disposable, _ start: Int) {
    let isDisposed = state.withLock { state in
      if state.isRunning && state.starts == start { state.scheduled = scheduled }
      return state.work == nil
    }
    if isDisposed { scheduled.dispose() }
  }

  private func loop() {
    // One round per turn would be fair but cost a hop each; rounds requested at once run at once.
    var stretch = Stretch()
    while let work = nextRound() {
      work { self.request() }
      switch stretch.step() {
      case .goOn: continue
      case .pause(let pause): return pause.end { self.loop() }
      case .fail(let error):
        dispose()
        return TurnRequests.tell(of: error)
      }
    }
  }

  private func nextRound() -> (@Sendable (@escaping @Sendable () -> Void) -> Void)? {
    state.withLock { state in
      guard state.requests > 0, let work = state.work else {
        state.isRunning = false
        state.scheduled = nil
        return nil
      }
      state.requests -= 1
      return work
    }
  }
}
