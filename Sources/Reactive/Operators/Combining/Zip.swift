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
  public static func zip<Source: Sendable>(
    _ signals: [Signal<Source>]
  ) -> Signal<Value> where Value == [Source] {
    Signal { observer, subscription in
      let waiting = signals.map { _ in SerialState(Queue<Source>()) }
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
  public func zip<Other>(with other: Signal<Other>) -> Signal<(Value, Other)> {
    Signal<(Value, Other)> { observer, subscription in
      let first = SerialState(Queue<Value>())
      let second = SerialState(Queue<Other>())
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
  public static func zip<First, Second>(
    _ first: Signal<First>, _ second: Signal<Second>
  ) -> Signal<Value> where Value == (First, Second) {
    first.zip(with: second)
  }
}

private func zippedValues<each Source: Sendable>(
  of signals: repeat Signal<each Source>
) -> Signal<(repeat each Source)> {
  Signal { observer, subscription in
    let waiting = (repeat SerialState(Queue<each Source>()))
    let zipping = Zipping(observer, subscription) { zipping in
      (repeat zipping.take(from: each waiting))
    }
    repeat zipping.count(each signals)
    repeat zipping.subscribe(to: each signals, each waiting)
    zipping.endIfEmpty()
  }
}

/// The values of several signals that wait for their companions; everything in it belongs to the owner
/// of the serializer.
private final class Zipping<Value: Sendable>: @unchecked Sendable {
  // Unchecked: all of it changes only inside the serializer, or before the first source is subscribed.
  private let serializer: Serializer<Value>
  private let subscription: CompoundDisposable
  private let combine: @Sendable (Zipping) -> Value
  private var sources = 0
  /// How many sources have no value waiting.
  private var missing = 0
  /// The completed sources, by their queues.
  private var completed: Set<ObjectIdentifier> = []
  /// Whether a source has completed and nothing of it waits.
  private var isExhausted = false

  init(
    _ observer: Observer<Value>, _ subscription: CompoundDisposable,
    _ combine: @escaping @Sendable (Zipping) -> Value
  ) {
    serializer = Serializer(observer, subscription)
    self.subscription = subscription
    self.combine = combine
  }

  func count<Source>(_ source: Signal<Source>) {
    sources += 1
    missing += 1
  }

  func subscribe<Source>(to source: Signal<Source>, _ waiting: SerialState<Queue<Source>>) {
    guard !subscription.isDisposed else { return }
    let receive: @Sendable (Source) -> Void = { value in
      if waiting.value.isEmpty { self.missing -= 1 }
      waiting.value.append(value)
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
              self.completed.insert(ObjectIdentifier(waiting))
              guard waiting.value.isEmpty else { return }
            }
            self.serializer.end(termination)
          }
        }), in: subscription)
  }

  func take<Source>(from waiting: SerialState<Queue<Source>>) -> Source {
    let value = waiting.value.popFirst()!
    if waiting.value.isEmpty {
      missing += 1
      if completed.contains(ObjectIdentifier(waiting)) { isExhausted = true }
    }
    return value
  }

  func endIfEmpty() {
    if sources == 0 { serializer.sendEnd(.completed) }
  }
}
