extension Signal {
  /// Sends the latest values of several signals together. RAC: `combineLatest:`.
  ///
  /// - Values: a tuple of the latest values, at each value of any signal once all have sent one. An
  ///   optional value that is nil counts as sent.
  /// - Error: the first one of any signal; the others are disposed.
  /// - Completion: when all have completed; at once if there are none.
  /// - Disposal: disposes all.
  /// - Scheduler: whichever a signal sends on; values that come at the same time are delivered one
  ///   after the other by the thread that is delivering already.
  public static func combineLatest<each Source: Sendable>(
    _ signals: repeat Signal<each Source>
  ) -> Signal<Value> where Value == (repeat each Source) {
    latestValues(of: repeat each signals)
  }

  /// Sends the latest values of several signals together, as an array. RAC: `combineLatest:`.
  ///
  /// - Values: an array of the latest values, in the order of the signals, at each value of any signal
  ///   once all have sent one. An optional value that is nil counts as sent.
  /// - Error: the first one of any signal; the others are disposed.
  /// - Completion: when all have completed; at once if there are none.
  /// - Disposal: disposes all.
  /// - Scheduler: as for the form with tuples.
  @inlinable
  public static func combineLatest<Source: Sendable>(
    _ signals: [Signal<Source>]
  ) -> Signal<Value> where Value == [Source] {
    Signal { observer, subscription in
      let latest = signals.map { _ in SerialState<Source?>(nil) }
      let combining = Combining(observer, subscription) { latest.map { $0.value! } }
      for signal in signals { combining.count(signal) }
      for (signal, latest) in Swift.zip(signals, latest) { combining.subscribe(to: signal, latest) }
      combining.endIfEmpty()
    }
  }

  /// Sends the latest values of this signal and another together. RAC: `combineLatestWith:`.
  ///
  /// - Values: a pair of the latest values, at each value of either once both have sent one.
  /// - Error: the first one of either; the other is disposed.
  /// - Completion: when both have completed.
  /// - Disposal: disposes both.
  /// - Scheduler: as for the form with tuples.
  @inlinable
  public func combineLatest<Other>(with other: Signal<Other>) -> Signal<(Value, Other)> {
    Signal<(Value, Other)> { observer, subscription in
      let first = SerialState<Value?>(nil)
      let second = SerialState<Other?>(nil)
      let combining = Combining(observer, subscription) { (first.value!, second.value!) }
      combining.count(self)
      combining.count(other)
      combining.subscribe(to: self, first)
      combining.subscribe(to: other, second)
    }
  }

  /// Sends the latest values of two signals together. RAC: `combineLatest:`.
  ///
  /// - Values: a pair of the latest values, at each value of either once both have sent one.
  /// - Error: the first one of either; the other is disposed.
  /// - Completion: when both have completed.
  /// - Disposal: disposes both.
  /// - Scheduler: as for the form with longer tuples, which this one is faster than.
  @inlinable
  public static func combineLatest<First, Second>(
    _ first: Signal<First>, _ second: Signal<Second>
  ) -> Signal<Value> where Value == (First, Second) {
    first.combineLatest(with: second)
  }

  /// Sends the latest values of three signals together. RAC: `combineLatest:`.
  ///
  /// - Values: a tuple of the latest values, at each value of any once all have sent one.
  /// - Error: the first one of any; the others are disposed.
  /// - Completion: when all have completed.
  /// - Disposal: disposes all.
  /// - Scheduler: as for the form with longer tuples, which this one is faster than.
  @inlinable
  public static func combineLatest<First, Second, Third>(
    _ first: Signal<First>, _ second: Signal<Second>, _ third: Signal<Third>
  ) -> Signal<Value> where Value == (First, Second, Third) {
    first.combineLatest(with: second).combineLatest(with: third)
      .map { ($0.0.0, $0.0.1, $0.1) }
  }
}

extension Signal {
  /// Sends the result of a function of the latest values of several signals. RAC:
  /// `combineLatest:reduce:`.
  ///
  /// - Values: `reduce` of the latest values, at each value of any signal once all have sent one. An
  ///   optional value that is nil counts as sent.
  /// - Error: the first one of any signal; the others are disposed.
  /// - Completion: when all have completed; at once if there are none.
  /// - Disposal: disposes all.
  /// - Scheduler: as for the form with tuples; `reduce` runs where its result is sent.
  public static func combineLatest<each Source: Sendable>(
    _ signals: repeat Signal<each Source>,
    reduce: @escaping @Sendable (repeat each Source) -> Value
  ) -> Signal<Value> {
    Signal { observer, subscription in
      let latest = (repeat SerialState(Optional<each Source>.none))
      let combining = Combining(observer, subscription) { reduce(repeat sent(each latest)) }
      repeat combining.count(each signals)
      repeat combining.subscribe(to: each signals, each latest)
      combining.endIfEmpty()
    }
  }
}

private func sent<Source>(_ latest: SerialState<Source?>) -> Source {
  latest.value!
}

private func latestValues<each Source: Sendable>(
  of signals: repeat Signal<each Source>
) -> Signal<(repeat each Source)> {
  Signal { observer, subscription in
    let latest = (repeat SerialState(Optional<each Source>.none))
    let combining = Combining(observer, subscription) { (repeat sent(each latest)) }
    repeat combining.count(each signals)
    repeat combining.subscribe(to: each signals, each latest)
    combining.endIfEmpty()
  }
}

/// The latest values of several signals; the serializer's owner owns all of its state.
@usableFromInline
final class Combining<Value: Sendable>: @unchecked Sendable {
  // Unchecked: the counts change only inside the serializer, or before the first source is
  // subscribed.
  @usableFromInline let serializer: Serializer<Value>
  @usableFromInline let subscription: CompoundDisposable
  @usableFromInline let combine: @Sendable () -> Value
  /// The number of sources that have not sent a value.
  @exclusivity(unchecked)
  @usableFromInline var missing = 0
  /// The number of sources that have not completed.
  @exclusivity(unchecked)
  @usableFromInline var active = 0

  @inlinable
  init(
    _ observer: Observer<Value>, _ subscription: CompoundDisposable,
    _ combine: @escaping @Sendable () -> Value
  ) {
    serializer = Serializer(observer, subscription)
    self.subscription = subscription
    self.combine = combine
  }

  @inlinable
  func count<Source>(_ source: Signal<Source>) {
    missing += 1
    active += 1
  }

  @inlinable
  func subscribe<Source>(to source: Signal<Source>, _ latest: SerialState<Source?>) {
    guard !subscription.isDisposed else { return }
    let receive: @Sendable (Source) -> Void = { value in
      if latest.value == nil { self.missing -= 1 }
      latest.value = value
      if self.missing == 0 { self.serializer.next(self.combine()) }
    }
    source.observe(
      Observer(
        next: { [serializer] in serializer.submit($0, to: receive) },
        end: { [serializer] in serializer.submit($0) { self.leave($0) } }), in: subscription)
  }

  @usableFromInline
  func endIfEmpty() {
    if active == 0 && missing == 0 { serializer.sendEnd(.completed) }
  }

  @usableFromInline
  func leave(_ termination: Termination) {
    if case .error = termination { return serializer.end(termination) }
    active -= 1
    if active == 0 { serializer.end(termination) }
  }
}
