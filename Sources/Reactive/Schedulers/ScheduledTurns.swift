import Synchronization

/// Work that takes one turn of a scheduler after another, as long as it requests more.
///
/// If the scheduler runs a turn inside the call that schedules it, a loop continues instead of
/// nesting the next turn.
final class ScheduledTurns: Sendable {
  private let scheduler: Scheduler
  private let subscription: CompoundDisposable
  private let work: @Sendable () -> Bool
  /// The number of turns requested and not yet scheduled, including the one being scheduled.
  private let requests = Atomic<Int>(0)

  /// - Parameters:
  ///   - subscription: drops the pending turn when it is disposed.
  ///   - work: runs in each turn; returns true if another one follows.
  init(
    on scheduler: Scheduler, in subscription: CompoundDisposable,
    _ work: @escaping @Sendable () -> Bool
  ) {
    self.scheduler = scheduler
    self.subscription = subscription
    self.work = work
  }

  /// Requests a turn.
  func request() {
    guard requests.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat { schedule() } while requests.subtract(1, ordering: .acquiringAndReleasing).newValue > 0
  }

  private func schedule() {
    let turn = subscription.makeChild()
    guard !turn.isDisposed else { return }
    turn.add(
      scheduler.schedule { [self] in
        guard !turn.isDisposed else { return }
        turn.dispose()
        if work() { request() }
      })
  }
}
