import Synchronization

/// Work that runs again each time it asks to, as a loop: a request made while the work runs makes the
/// loop go round once more, a later one schedules it anew.
final class Recursion: Disposable {
  private struct State {
    var work: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    var requests = 0
    var isRunning = false
  }

  private let scheduler: Scheduler
  private let state: Mutex<State>
  private let scheduled = SerialDisposable()

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
    _ = state.withLock { state in
      defer { state.work = nil }
      return state.work
    }
    scheduled.dispose()
  }

  private func request() {
    let starts = state.withLock { state in
      state.requests += 1
      guard !state.isRunning, state.work != nil else { return false }
      state.isRunning = true
      return true
    }
    if starts { scheduled.inner = scheduler.schedule { self.loop() } }
  }

  private func loop() {
    // One round a turn would starve nobody but cost a hop each; rounds asked for at once run at once.
    while let work = nextRound() {
      work { [weak self] in self?.request() }
    }
  }

  private func nextRound() -> (@Sendable (@escaping @Sendable () -> Void) -> Void)? {
    state.withLock { state in
      guard state.requests > 0, let work = state.work else {
        state.isRunning = false
        return nil
      }
      state.requests -= 1
      return work
    }
  }
}
