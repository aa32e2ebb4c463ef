extension Signal {
  /// Sends the first values of several signals together, then the second ones, and so on. RAC: `zip:`.
  ///
  /// - Values: a tuple with one value of each signal, as soon as each has one that is not yet sent.
  /// - Error: the first one of any signal, at once; values that wait are dropped.
  /// - Completion: as soon as no further tuple is possible: when a signal has completed and all its
  ///   values are sent; at once if there are no signals.
  /// - Disposal: disposes all and releases the values that wait.
  /// - Scheduler: whichever a signal sends on; values that come at the same time are delivered one
  ///   after the other by the thread that is delivering already.
  public static func zip<each Source: Sendable>(
    _ signals: repeat Signal<each Source>
  ) -> Signal<Value> where Value == (repeat each Source) {
    zippedValues(of: repeat each signals)
  }

  /// Sends the first values of several signals together as an array, then the second ones, and so on.
  /// RAC: `zip:`.
  ///
  /// - Values: an array with one value of each signal, in the order of the signals, as soon as each has
  ///   one that is not yet sent.
  /// - Error: the first one of any signal, at once; values that wait are dropped.
  /// - Completion: as soon as no further array is possible; at once if there are no signals.
  /// - Disposal: disposes all and releases the values that wait.
  /// - Scheduler: as for the form with tuples.
  @inlinable
  public static func zip<Source: Sendable>(
    _ signals: [Signal<Source>]
  ) -> Signal<Value> where Value == [Source] {
    Signal { observer, subscription in
      let waiting = signals.map { waitingValues(of: $0) }
      let zipping = Zipping(observer, subscription) { zipping in
        waiting.map { zipping.take(from: $0) }
      }
      for signal in signals { zipping.count(signal) }
      for (index, signal) in signals.enumerated() {
        zipping.subscribe(to: signal, waiting[index])
      }
      zipping.endIfEmpty()
    }
  }

  /// Sends the first values of this signal and another together, then the second ones, and so on. RAC:
  /// `zipWith:`.
  ///
  /// - Values: a pair of values, as soon as each signal has one that is not yet sent.
  /// - Error: the first one of either, at once; values that wait are dropped.
  /// - Completion: as soon as no further pair is possible.
  /// - Disposal: disposes both and releases the values that wait.
  /// - Scheduler: as for the form with tuples.
  @inlinable
  public func zip<Other>(with other: Signal<Other>) -> Signal<(Value, Other)> {
    Signal<(Value, Other)> { observer, subscription in
      let first = waitingValues(of: self)
      let second = waitingValues(of: other)
      let zipping = Zipping(observer, subscription) { zipping in
        (zipping.take(from: first), zipping.take(from: second))
      }
      zipping.count(self)
      zipping.count(other)
      zipping.subscribe(to: self, first)
      zipping.subscribe(to: other, second)
    }
  }

  /// Sends the first values of two signals together, then the second ones, and so on. RAC: `zip:`.
  ///
  /// - Values: a pair of values, as soon as each signal has one that is not yet sent.
  /// - Error: the first one of either, at once; values that wait are dropped.
  /// - Completion: as soon as no further pair is possible.
  /// - Disposal: disposes both and releases the values that wait.
  /// - Scheduler: as for the form with longer tuples, which this one is faster than.
  @inlinable
  public static func zip<First, Second>(
    _ first: Signal<First>, _ second: Signal<Second>
  ) -> Signal<Value> where Value == (First, Second) {
    first.zip(with: second)
  }

  /// Sends the first values of three signals together, then the second ones, and so on. RAC: `zip:`.
  ///
  /// - Values: a tuple of values, as soon as each signal has one that is not yet sent.
  /// - Error: the first one of any, at once; values that wait are dropped.
  /// - Completion: as soon as no further tuple is possible.
  /// - Disposal: disposes all and releases the values that wait.
  /// - Scheduler: as for the form with longer tuples, which this one is faster than.
  @inlinable
  public static func zip<First, Second, Third>(
    _ first: Signal<First>, _ second: Signal<Second>, _ third: Signal<Third>
  ) -> Signal<Value> where Value == (First, Second, Third) {
    // Not built from pairs of pairs, which would ignore a signal once its companion has completed.
    Signal { observer, subscription in
      let values = (waitingValues(of: first), waitingValues(of: second), waitingValues(of: third))
      let zipping = Zipping(observer, subscription) { zipping in
        (zipping.take(from: values.0), zipping.take(from: values.1), zipping.take(from: values.2))
      }
      zipping.count(first)
      zipping.count(second)
      zipping.count(third)
      zipping.subscribe(to: first, values.0)
      zipping.subscribe(to: second, values.1)
      zipping.subscribe(to: third, values.2)
    }
  }
}

extension Signal {
  /// Sends the result of a function of the first values of several signals, then of the second
  /// ones, and so on. RAC: `zip:reduce:`.
  ///
  /// - Values: `reduce` of one value of each signal, as soon as each has one that is not yet used.
  /// - Error: the first one of any signal, at once; values that wait are dropped.
  /// - Completion: as soon as no further result is possible: when a signal has completed and all its
  ///   values are used; at once if there are no signals.
  /// - Disposal: disposes all and releases the values that wait.
  /// - Scheduler: as for the form with tuples; `reduce` runs where its result is sent.
  public static func zip<each Source: Sendable>(
    _ signals: repeat Signal<each Source>,
    reduce: @escaping @Sendable (repeat each Source) -> Value
  ) -> Signal<Value> {
    Signal { observer, subscription in
      let waiting = (repeat waitingValues(of: each signals))
      let zipping = Zipping(observer, subscription) { zipping in
        reduce(repeat zipping.take(from: each waiting))
      }
      repeat zipping.count(each signals)
      repeat zipping.subscribe(to: each signals, each waiting)
      zipping.endIfEmpty()
    }
  }
}

private func zippedValues<each Source: Sendable>(
  of signals: repeat Signal<each Source>
) -> Signal<(repeat each Source)> {
  Signal { observer, subscription in
    let waiting = (repeat waitingValues(of: each signals))
    let zipping = Zipping(observer, subscription) { zipping in
      (repeat zipping.take(from: each waiting))
    }
    repeat zipping.count(each signals)
    repeat zipping.subscribe(to: each signals, each waiting)
    zipping.endIfEmpty()
  }
}

/// The values of one signal that wait for their companions.
@usableFromInline
struct WaitingValues<Source: Sendable> {
  @usableFromInline var values = Queue<Source>()
  @usableFromInline var hasCompleted = false

  @inlinable
  init() {}
}

@inlinable
func waitingValues<Source>(of source: Signal<Source>) -> SerialState<WaitingValues<Source>> {
  SerialState(WaitingValues())
}

/// The waiting values of several signals; the serializer's owner owns all of its state.
@usableFromInline
final class Zipping<Value: Sendable>: @unchecked Sendable {
  // Unchecked: all of it changes only inside the serializer, or before the first source is
  // subscribed.
  @usableFromInline let serializer: Serializer<Value>
  @usableFromInline let subscription: CompoundDisposable
  @usableFromInline let combine: @Sendable (Zipping) -> Value
  @exclusivity(unchecked)
  @usableFromInline var sources = 0
  /// The number of sources without a waiting value.
  @exclusivity(unchecked)
  @usableFromInline var missing = 0
  /// True once a source has completed and none of its values wait.
  @exclusivity(unchecked)
  @usableFromInline var isExhausted = false

  @inlinable
  init(
    _ observer: Observer<Value>, _ subscription: CompoundDisposable,
    _ combine: @escaping @Sendable (Zipping) -> Value
  ) {
    serializer = Serializer(observer, subscription)
    self.subscription = subscription
    self.combine = combine
  }

  @inlinable
  func count<Source>(_ source: Signal<Source>) {
    sources += 1
    missing += 1
  }

  @inlinable
  func subscribe<Source>(to source: Signal<Source>, _ waiting: SerialState<WaitingValues<Source>>) {
    guard !subscription.isDisposed else { return }
    let receive: @Sendable (Source) -> Void = { value in
      if waiting.value.values.isEmpty { self.missing -= 1 }
      waiting.value.values.append(value)
      guard self.missing == 0 else { return }
      self.serializer.next(self.combine(self))
      if self.isExhausted { self.serializer.end(.completed) }
    }
    source.observe(
      Observer(
        next: { [serializer] in serializer.submit($0, to: receive) },
        end: { [serializer] in
          serializer.submit($0) { termination in
            if case .completed = termination {
              waiting.value.hasCompleted = true
              guard waiting.value.values.isEmpty else { return }
            }
            self.serializer.end(termination)
          }
        }), in: subscription)
  }

  @inlinable
  func take<Source>(from waiting: SerialState<WaitingValues<Source>>) -> Source {
    let value = waiting.value.values.popFirst()!
    if waiting.value.values.isEmpty {
      missing += 1
      if waiting.value.hasCompleted { isExhausted = true }
    }
    return value
  }

  @usableFromInline
  func endIfEmpty() {
    if sources == 0 { serializer.sendEnd(.completed) }
  }
}
