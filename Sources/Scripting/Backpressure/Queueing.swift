import LuaRuntime
import Reactive

// Only queues that empty themselves in time count. What waits in `zip` waits for another signal, which
// may come from the same source: to stop that would be for ever. `replay`, `collect`, `to_table` and
// `flat_map` without a limit keep what they were asked to keep.

extension Signal where Value == LuaValue {
  /// This signal through an operator that queues its values and lets them go on in order, one for
  /// one.
  func queueing(
    in host: ScriptHost, _ lift: @escaping @Sendable (Signal<LuaValue>) -> Signal<LuaValue>
  ) -> Signal<LuaValue> {
    queueing(in: host) {
      lift($0)
    } goOn: { places, value, next in
      places.leaveFirst { next(value) }
    }
  }

  /// This signal through an operator that queues its values and lets them go on as lists.
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
    goOn: @escaping @Sendable (BacklogPlaces, Output, (LuaValue) -> Void) -> Void
  ) -> Signal<LuaValue> {
    // Not the signal itself: a subscription must not keep a subject alive.
    let source = Signal(self)
    return Signal { observer, subscription in
      let places = BacklogPlaces(subscription)
      lift(source.counting(in: host, places)).observe(
        Observer(next: { goOn(places, $0, observer.next) }, end: observer.end), in: subscription)
    }
  }

  fileprivate func counting(
    in host: ScriptHost, _ places: BacklogPlaces
  ) -> Signal<LuaValue> {
    Signal { observer, subscription in
      self.observe(
        Observer(
          next: { value in
            places.append(host.backlogPlace(for: value))
            observer.next(value)
          }, end: observer.end), in: subscription)
    }
  }

  /// This signal, which waits for its turn to be subscribed.
  func waitingForItsTurn(in host: ScriptHost) -> Signal<LuaValue> {
    guard let place = host.backlogPlaceForSignal() else { return self }
    return Signal { observer, subscription in
      place.leave { self.observe(observer, in: subscription) }
    }
  }
}

extension APICall {
  /// Pushes a signal made of the one at 1 by an operator that queues its values.
  func liftQueueing(
    _ lift: @escaping @Sendable (Signal<LuaValue>) -> Signal<LuaValue>
  ) throws -> LuaOutcome {
    let host = host
    return try self.lift { $0.queueing(in: host, lift) }
  }
}

/// The places of one queue, from the first value to the last. On the loop's thread.
private final class BacklogPlaces: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  private var places: [BacklogPlace?] = []
  private var first = 0
  /// How many values without a place stand before those in the list.
  private var skipped = 0

  /// The places are left when the subscription is over.
  init(_ subscription: CompoundDisposable) {
    subscription.add { self.removeAll() }
  }

  func append(_ place: BacklogPlace?) {
    // Nothing to count as long as no value comes from a source that could stop.
    if place == nil, places.isEmpty { skipped += 1 } else { places.append(place) }
  }

  private func popFirst() -> BacklogPlace? {
    guard skipped == 0 else {
      skipped -= 1
      return nil
    }
    guard first < places.count else { return nil }
    let place = places[first]
    places[first] = nil
    first += 1
    if first == places.count {
      places.removeAll(keepingCapacity: first < 1_024)
      first = 0
    } else if first > 1_024, first > places.count / 2 {
      places.removeFirst(first)
      first = 0
    }
    return place
  }

  func leaveFirst(_ goOn: () -> Void) {
    if let place = popFirst() { place.leave(goOn) } else { goOn() }
  }

  func leave(_ count: Int) {
    for _ in 0..<count { popFirst()?.leave() }
  }

  private func removeAll() {
    places = []
    first = 0
    skipped = 0
  }
}
