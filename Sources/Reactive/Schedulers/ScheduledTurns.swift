import Synchronization

/// Work that takes one turn of a scheduler after another, as long as it asks for more.
///
/// A turn that a scheduler takes inside the call that schedules it makes a loop go on instead of
/// nesting the next.
final class ScheduledTurns: Sendable {
  private let scheduler: Scheduler
  private let subscription: CompoundDisposable
  private let work: @Sendable () -> Bool
  /// Turns asked for and not yet scheduled, the one being scheduled included.
  private let requests = Atomic<Int>(0)

  /// - Parameters:
  ///   - subscription: drops the turn that is due when it is disposed.
  ///   - work: done in each turn; whether another one follows.
  init(
    on scheduler: Scheduler, in subscription: CompoundDisposable,
    _ work: @escaping @Sendable () -> Bool
  ) {
    self.scheduler = scheduler
    self.subscription = subscription
    self.work = work
  }

  /// Asks for a turn.
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
