import Synchronization

/// Teardown that outlasts `dispose`: a process group that is asked to end and takes a while.
///
/// `dispose` starts it and returns; who needs to know when the work has really ended asks the
/// subscription by `whenTornDown`. A subscription waits for its children too, and for subscriptions
/// that were added to it, so an inner signal of `flatMap` holds its outer one. A subscription
/// without such teardown pays nothing for the possibility.
extension CompoundDisposable {
  /// Adds teardown that goes on after disposal.
  ///
  /// Add it before the work begins: a subscription that is disposed in between then knows that there
  /// is something to wait for.
  ///
  /// - Parameter teardown: called at disposal, or at once if this set has been disposed. It calls
  ///   `done` when nothing is left of the work, on any thread; calls after the first do nothing, and
  ///   releasing `done` uncalled counts as a call.
  public func addAsync(
    _ teardown: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void
  ) {
    let hold = TeardownHold()
    take(hold)
    add { teardown { hold.release() } }
  }

  /// Runs `action` once no asynchronous teardown of this subscription, its children or what was added
  /// to it is outstanding: at once when there is none, else on the thread that ends the last one.
  ///
  /// It is meant for the time after disposal: teardown that has not begun is outstanding.
  public func whenTornDown(_ action: @escaping @Sendable () -> Void) {
    if let teardown = outstandingTeardown { teardown.whenDone(action) } else { action() }
  }

  /// As `whenTornDown` if this set has been disposed; at once if it has not: others still need it.
  func whenEnded(_ action: @escaping @Sendable () -> Void) {
    if isDisposed { whenTornDown(action) } else { action() }
  }

  /// What has to be waited for before the work has really ended; nil if nothing.
  package var outstandingTeardown: PendingTeardown? {
    guard let teardown = ledger.withLock({ $0.teardown }), teardown.isOutstanding else {
      return nil
    }
    return teardown
  }

  /// Lets this subscription and all it belongs to wait for a hold.
  private func take(_ hold: TeardownHold) {
    var current: CompoundDisposable? = self
    while let subscription = current {
      let (teardown, adopter) = subscription.ledger.withLock { ledger in
        let teardown = ledger.teardown ?? PendingTeardown()
        ledger.teardown = teardown
        return (teardown, ledger.adopter)
      }
      hold.add(teardown)
      current = subscription.linkedParent() ?? adopter?.disposable
    }
  }

  /// Makes `child`, which was made elsewhere, pass on what it has to wait for.
  func adopt(_ child: CompoundDisposable) {
    let adopter = TeardownLedger.Adopter(self)
    let earlier = child.ledger.withLock { ledger in
      if ledger.adopter == nil { ledger.adopter = adopter }
      return ledger.teardown
    }
    guard let earlier, earlier.isOutstanding else { return }
    let hold = TeardownHold()
    take(hold)
    earlier.whenDone { hold.release() }
  }
}

/// What a subscription knows of asynchronous teardown.
struct TeardownLedger {
  /// Made by the first asynchronous teardown; few subscriptions have one.
  var teardown: PendingTeardown?
  /// The subscription that this one was added to, if it was not made as its child.
  var adopter: Adopter?

  /// The way from a subscription to the one it was added to, which owns it.
  final class Adopter: Sendable {
    weak let disposable: CompoundDisposable?

    init(_ disposable: CompoundDisposable) {
      self.disposable = disposable
    }
  }
}

/// How many teardowns a subscription waits for, and what happens after the last.
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

/// One teardown that others wait for; done when it is released, at the latest with the last reference.
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
