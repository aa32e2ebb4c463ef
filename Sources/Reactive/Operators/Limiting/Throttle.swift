extension Signal {
  /// Sends a value only when no other follows it within an interval. RAC: `throttle:`,
  /// `throttle:valuesPassingTest:`.
  ///
  /// - Values: each that stays the latest for `interval`. A value that fails the test is sent at
  ///   once; like every value, it drops the one that is held.
  /// - Error: passed on at once; the value held is dropped.
  /// - Completion: with the source, after the value held.
  /// - Disposal: disposes the source, drops the value held and stops its timer.
  /// - Scheduler: a value held is sent on `scheduler`; everything else arrives as the source sends it.
  ///
  /// - Parameters:
  ///   - interval: how long a value is held, on a monotonic clock.
  ///   - scheduler: keeps the time; nil for the one that is current where the value arrives, or a
  ///     serial queue of the operator's own.
  ///   - isThrottled: which values are held at all.
  public func throttle(
    _ interval: Duration, on scheduler: Scheduler? = nil,
    valuesPassingTest isThrottled: @escaping @Sendable (Value) -> Bool = { _ in true }
  ) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let throttling = Throttling<Value>(interval, observer, subscription, isThrottled)
      let scheduler = EventScheduler(scheduler)
      source(
        Observer(
          next: { throttling.downstream.submit(($0, scheduler.here), to: throttling.receive) },
          end: { throttling.downstream.submit($0, to: throttling.end) }), subscription)
    }
  }
}

/// The value that a throttled signal holds, and the timer that will send it.
private final class Throttling<Value: Sendable>: Sendable {
  private struct State {
    var held: Value?
    /// Distinguishes the timer of the held value from one that fired while another value arrived.
    var number = 0
    var timer: (any Disposable)?
  }

  private let interval: Duration
  let downstream: Serializer<Value>
  private let isThrottled: @Sendable (Value) -> Bool
  /// Owned by the caller that handles an event.
  private let state = SerialState(State())

  init(
    _ interval: Duration, _ observer: Observer<Value>, _ subscription: CompoundDisposable,
    _ isThrottled: @escaping @Sendable (Value) -> Bool
  ) {
    self.interval = interval
    self.isThrottled = isThrottled
    downstream = Serializer(observer, subscription)
  }

  // MARK: For the owner of the downstream

  func receive(_ value: Value, from scheduler: Scheduler) {
    drop()
    if isThrottled(value) { hold(value, on: scheduler) } else { deliver(value) }
  }

  func end(_ termination: Termination) {
    if case .completed = termination { flush() }
    drop()
    downstream.end(termination)
  }

  private func timerFired(_ number: Int) {
    if number == state.value.number { flush() }
  }

  private func hold(_ value: Value, on scheduler: Scheduler) {
    // The test may have disposed the subscription.
    guard !downstream.subscription.isDisposed else { return }
    state.value.held = value
    let number = state.value.number
    state.value.timer = downstream.subscription.addTimer(after: interval, on: scheduler) {
      [self] in downstream.submit(number, to: timerFired)
    }
  }

  private func flush() {
    guard let value = state.value.held else { return }
    drop()
    deliver(value)
  }

  private func deliver(_ value: Value) {
    if !downstream.subscription.isDisposed { downstream.next(value) }
  }

  private func drop() {
    state.value.held = nil
    state.value.number += 1
    state.value.timer.take()?.dispose()
  }
}
