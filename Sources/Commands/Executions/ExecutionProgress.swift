import Reactive
import Synchronization

/// The observable progress of an execution.
extension CommandCore {
  /// The state at once and each change of it.
  func states(of entry: ExecutionEntry) -> Signal<ExecutionState> {
    let changes = changes(of: entry)
    return Signal { observer, subscription in
      // The state is read at each change, so it never goes back, whichever thread reports first.
      let last = Mutex<ExecutionState?>(nil)
      changes.observe(
        Observer(
          next: {
            let state = self.phase(of: entry).state
            let isNew = last.withLock { last in
              defer { last = state }
              return last != state
            }
            if isNew { observer.next(state) }
          }, end: observer.end), in: subscription)
    }
  }

  /// Sends each attempt, including earlier ones.
  func attempts(of entry: ExecutionEntry) -> Signal<Attempt> {
    if let supervision = entry.supervision { return Signal(supervision.attempts) }
    let changes = changes(of: entry)
    return Signal { observer, subscription in
      let isAnnounced = Atomic<Bool>(false)
      changes.observe(
        Observer(
          next: {
            guard self.wasAdmitted(entry), !isAnnounced.exchange(true, ordering: .relaxed) else {
              return
            }
            observer.next(Attempt(number: 1, cause: nil, delay: .zero))
          }, end: observer.end), in: subscription)
    }
  }

  /// Sends now and whenever the state has changed; completes with the execution.
  private func changes(of entry: ExecutionEntry) -> BehaviorSubject<Void> {
    let (changes, hasEnded) = watch(entry)
    // A subject created after the end would never complete on its own.
    if hasEnded { changes.sendCompleted() }
    return changes
  }
}
