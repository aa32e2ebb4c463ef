import Synchronization

extension Signal {
  /// Delivers every event on a scheduler. RAC: `deliverOn:`.
  ///
  /// - Values: the source's, in order, each in a turn of its own.
  /// - Error: passed on after the values before it.
  /// - Completion: after the values before it.
  /// - Disposal: disposes the source and drops what has not been delivered, at once.
  /// - Scheduler: delivers on `scheduler`; the source is subscribed where the subscription is made.
  public func deliverOn(_ scheduler: Scheduler) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let delivery = Delivery(to: observer)
      subscription.add(delivery)
      let turn: @Sendable () -> Void = { [weak delivery] in delivery?.deliverOne() }
      source(
        Observer(
          next: {
            delivery.append(.next($0))
            scheduler.schedule(turn)
          },
          end: {
            delivery.append(Event($0))
            scheduler.schedule(turn)
          }), subscription)
    }
  }

  /// Delivers every event on the main scheduler: always a hop. RAC: `deliverOnMainThread`.
  ///
  /// - Values: the source's, in order, each in a turn of its own.
  /// - Error: passed on after the values before it.
  /// - Completion: after the values before it.
  /// - Disposal: disposes the source and drops what has not been delivered, at once.
  /// - Scheduler: delivers on `Scheduler.main`.
  public func deliverOnMain() -> Signal<Value> {
    deliverOn(.main)
  }
}

/// Events pending on a scheduler. The turns that wait there retain nothing of the subscription, so
/// disposal releases everything, no matter how long the scheduler takes.
private final class Delivery<Value: Sendable>: Disposable {
  private struct State {
    var observer: Observer<Value>?
    var events = Queue<Event<Value>>()
  }

  private let state: Mutex<State>

  init(to observer: Observer<Value>) {
    state = Mutex(State(observer: observer))
  }

  var isDisposed: Bool { state.withLock { $0.observer == nil } }

  func append(_ event: Event<Value>) {
    state.withLock { state in
      if state.observer != nil { state.events.append(event) }
    }
  }

  func deliverOne() {
    let delivery = state.withLock { state -> (Observer<Value>, Event<Value>)? in
      guard let observer = state.observer, let event = state.events.popFirst() else { return nil }
      return (observer, event)
    }
    if let (observer, event) = delivery { observer.send(event) }
  }

  func dispose() {
    // The old state is released outside the lock.
    _ = state.withLock { state in
      defer { state = State(observer: nil) }
      return state
    }
  }
}
