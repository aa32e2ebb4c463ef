import Synchronization

/// A cold stream of closures, as tutorials write it: one to start it, and for each subscription an object
/// that lets events through until it is over. It does not put concurrent values in order.
final class ClosureSignal<Value: Sendable>: Sendable {
  typealias Receive = @Sendable (Value) -> Void
  typealias Complete = @Sendable () -> Void

  private let start: @Sendable (@escaping Receive, @escaping Complete) -> Void

  @inline(never)
  init(_ start: @escaping @Sendable (@escaping Receive, @escaping Complete) -> Void) {
    self.start = start
  }

  convenience init(just value: Value) {
    self.init { receive, complete in
      receive(value)
      complete()
    }
  }

  @inline(never)
  func subscribe(
    _ receive: @escaping Receive, _ complete: @escaping Complete
  ) -> ClosureSubscription {
    let subscription = ClosureSubscription()
    start(
      { if !subscription.isDisposed { receive($0) } },
      { if subscription.dispose() { complete() } })
    return subscription
  }
}

final class ClosureSubscription: Sendable {
  private let disposed = Atomic<Bool>(false)

  var isDisposed: Bool { disposed.load(ordering: .acquiring) }

  @discardableResult
  func dispose() -> Bool { !disposed.exchange(true, ordering: .acquiringAndReleasing) }
}

/// Merges such streams: a count and the subscriptions under a lock, and
/// another lock around the delivery.
final class ClosureMerging<Value: Sendable>: Sendable {
  private struct State {
    var active = 1
    var number = 0
    var subscriptions: [Int: ClosureSubscription] = [:]
  }

  private let receive: @Sendable (Value) -> Void
  private let complete: @Sendable () -> Void
  private let state = Mutex(State())
  private let delivery = Mutex(())

  init(_ receive: @escaping @Sendable (Value) -> Void, _ complete: @escaping @Sendable () -> Void) {
    self.receive = receive
    self.complete = complete
  }

  @inline(never)
  func add(_ signal: ClosureSignal<Value>) {
    let number = state.withLock { state in
      state.active += 1
      state.number += 1
      return state.number
    }
    let subscription = signal.subscribe(
      { value in self.delivery.withLock { _ in self.receive(value) } },
      { self.leave(number) })
    if !subscription.isDisposed { state.withLock { $0.subscriptions[number] = subscription } }
  }

  private func leave(_ number: Int) {
    let isLast = state.withLock { state in
      state.active -= 1
      if !state.subscriptions.isEmpty { state.subscriptions[number] = nil }
      return state.active == 0
    }
    if isLast { complete() }
  }
}
