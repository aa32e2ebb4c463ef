import Synchronization

/// Teardown that continues after `dispose` returns: for example, ending a process group takes a
/// while.
///
/// `dispose` starts it and returns. To find out when the work has really ended, use the
/// subscription's `whenTornDown`. A subscription also waits for its children and for subscriptions
/// that were added to it, so an inner signal of `flatMap` delays its outer one. A subscription
/// without such teardown pays nothing for this feature.
extension CompoundDisposable {
  /// Adds teardown that continues after disposal.
  ///
  /// Add it before the work begins, so that a subscription that is disposed in between waits for
  /// it.
  ///
  /// - Parameter teardown: called at disposal, or at once if this set has been disposed. It calls
  ///   `done` on any thread when the work has ended completely; calls after the first do nothing,
  ///   and releasing `done` uncalled counts as a call.
  public func addAsync(
    _ teardown: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void
  ) {
    let hold = TeardownHold()
    take(hold)
    add { teardown { hold.release() } }
  }

  /// Runs `action` once no asynchronous teardown of this subscription, its children or the
  /// subscriptions added to it is outstanding: at once if there is none, else on the thread that
  /// ends the last one.
  ///
  /// Call it after disposal: teardown that has not begun counts as outstanding.
  public func whenTornDown(_ action: @escaping @Sendable () -> Void) {
    if let teardown = outstandingTeardown { teardown.whenDone(action) } else { action() }
  }

  /// Does the same as `whenTornDown` if this set has been disposed. If it has not, runs `action` at
  /// once, because the work is still needed by others.
  func whenEnded(_ action: @escaping @Sendable () -> Void) {
    if isDisposed { whenTornDown(action) } else { action() }
  }

  /// The teardown to wait for before the work has really ended; nil if there is none.
  package var outstandingTeardown: PendingTeardown? {
    guard let rest = existingRest, rest.hasTeardown.load(ordering: .acquiring),
      let teardown = rest.ledger.withLock({ $0.teardown }), teardown.isOutstanding
    else { return nil }
    return teardown
  }

  /// Makes this subscription and all its ancestors wait for a hold.
  private func take(_ hold: TeardownHold) {
    var current: CompoundDisposable? = self
    while let subscription = current {
      let rest = subscription.rest
      let (teardown, adopter) = rest.ledger.withLock { ledger in
        let teardown = ledger.teardown ?? PendingTeardown()
        ledger.teardown = teardown
        rest.hasTeardown.store(true, ordering: .releasing)
        return (teardown, ledger.adopter)
      }
      hold.add(teardown)
      current = subscription.linkedParent() ?? adopter ?? subscription.outer
    }
  }

  /// Makes this set wait for the teardown of `child`, which was created elsewhere.
  func adopt(_ child: CompoundDisposable) {
    if child === self || child === outer { return }
    let earlier = child.rest.ledger.withLock { ledger in
      if ledger.adopter == nil { ledger.adopter = self }
      return ledger.teardown
    }
    guard let earlier, earlier.isOutstanding else { return }
    let hold = TeardownHold()
    take(hold)
    earlier.whenDone { hold.release() }
  }
}

/// A subscription's record of asynchronous teardown.
struct TeardownLedger {
  /// Created by the first asynchronous teardown; few subscriptions have one.
  var teardown: PendingTeardown?
  /// The subscription that this one was added to, which owns it, unless it was created as its child.
  weak var adopter: CompoundDisposable?
}

/// The number of teardowns a subscription waits for, and the actions to run after the last.
package final class PendingTeardown: Sendable {
  private struct State {
    var outstanding = 0
    var actions: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  var isOutstanding: Bool { state.withLock { $0.outstanding > 0 } }

  fileprivate func begin() {
    state.withLock { $0.outstanding += 1 }
  }

  fileprivate func end() {
    let actions = state.withLock { state in
      state.outstanding -= 1
      guard state.outstanding == 0 else { return [@Sendable () -> Void]() }
      defer { state.actions = [] }
      return state.actions
    }
    for action in actions { action() }
  }

  /// Runs `action` once nothing is outstanding, or at once.
  package func whenDone(_ action: @escaping @Sendable () -> Void) {
    let isDone = state.withLock { state in
      guard state.outstanding > 0 else { return true }
      state.actions.append(action)
      return false
    }
    if isDone { action() }
  }
}

/// One teardown that others wait for; it is done when it is released, at the latest with its last
/// reference.
private final class TeardownHold: Sendable {
  private let waiting = Mutex<[PendingTeardown]>([])

  deinit {
    release()
  }

  func add(_ teardown: PendingTeardown) {
    teardown.begin()
    waiting.withLock { $0.append(teardown) }
  }

  func release() {
    let waiting = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for teardown in waiting { teardown.end() }
  }
}
