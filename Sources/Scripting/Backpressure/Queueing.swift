import LuaRuntime
import Platform
import Reactive

// Only queues that drain in time count. Values queued in `zip` wait for another signal, which may
// come from the same source: stopping that source would deadlock. `replay`, `collect`, `to_table`
// and `flat_map` without a limit keep what they were asked to keep.

extension Signal where Value == LuaValue {
  /// Returns this signal through an operator that queues its values and releases them in order, one
  /// by one.
  func queueing(
    in host: ScriptHost, _ lift: @escaping @Sendable (Signal<LuaValue>) -> Signal<LuaValue>
  ) -> Signal<LuaValue> {
    queueing(in: host) {
      lift($0)
    } goOn: { places, value, next in
      places.leaveFirst { next(value) }
    }
  }

  /// Returns this signal through an operator that queues its values and releases them as lists.
  func queueing(
    in host: ScriptHost, _ lift: @escaping @Sendable (Signal<LuaValue>) -> Signal<[LuaValue]>
  ) -> Signal<LuaValue> {
    queueing(in: host, lift) { places, values, next in
      places.leave(values.count)
      next(host.list(values))
    }
  }

  private func queueing<Output>(
    in host: ScriptHost, _ lift: @escaping @Sendable (Signal<LuaValue>) -> Signal<Output>,
    goOn: @escaping (BacklogPlaces, Output, (LuaValue) -> Void) -> Void
  ) -> Signal<LuaValue> {
    // Not the signal itself: a subscription must not keep a subject alive.
    let source = Signal(self)
    let start = onLoop { (observer: Observer<LuaValue>, subscription: CompoundDisposable) in
      let places = BacklogPlaces(subscription)
      lift(source.counting(in: host, places)).observe(
        Observer(next: onLoop { goOn(places, $0, observer.next) }, end: observer.end),
        in: subscription)
    }
    return Signal(source: start)
  }

  fileprivate func counting(
    in host: ScriptHost, _ places: BacklogPlaces
  ) -> Signal<LuaValue> {
    let places = LoopBound(places)
    return Signal { observer, subscription in
      self.observe(
        Observer(
          next: { value in
            places.value.append(host.backlogPlace(for: value))
            observer.next(value)
          }, end: observer.end), in: subscription)
    }
  }

  /// Returns this signal with a place in the backlog while it waits to be subscribed.
  func waitingForItsTurn(in host: ScriptHost) -> Signal<LuaValue> {
    guard let place = host.backlogPlaceForSignal() else { return self }
    return Signal(
      source: onLoop { observer, subscription in
        place.leave { self.observe(observer, in: subscription) }
      })
  }
}

extension APICall {
  /// Pushes a signal that an operator which queues values makes from the one at 1.
  func liftQueueing(
    _ lift: @escaping @Sendable (Signal<LuaValue>) -> Signal<LuaValue>
  ) throws -> LuaOutcome {
    let host = host
    return try self.lift { $0.queueing(in: host, lift) }
  }
}

/// The places of one queue, from the first value to the last. Confined to the loop's thread.
private final class BacklogPlaces {
  private var places = Queue<BacklogPlace?>()
  /// The number of values without a place before those in the list.
  private var skipped = 0

  /// Makes places that are left when the subscription is over.
  init(_ subscription: CompoundDisposable) {
    subscription.add(onLoop { self.removeAll() })
  }

  func append(_ place: BacklogPlace?) {
    // Nothing is counted until a value comes from a source that can stop.
    if place == nil, places.isEmpty { skipped += 1 } else { places.append(place) }
  }

  private func popFirst() -> BacklogPlace? {
    guard skipped == 0 else {
      skipped -= 1
      return nil
    }
    return places.popFirst() ?? nil
  }

  func leaveFirst(_ goOn: () -> Void) {
    if let place = popFirst() { place.leave(goOn) } else { goOn() }
  }

  func leave(_ count: Int) {
    for _ in 0..<count { popFirst()?.leave() }
  }

  private func removeAll() {
    places = Queue()
    skipped = 0
  }
}
