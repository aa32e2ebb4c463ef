extension Signal {
  /// A signal of the elements of a sequence, which each subscription iterates again. RAC:
  /// `RACSequence`'s `signal`.
  ///
  /// - Values: the elements, in order.
  /// - Error: none.
  /// - Completion: after the last element; an endless sequence has to be disposed.
  /// - Disposal: from inside a value, ends the walk.
  /// - Scheduler: sends inside the call that subscribes; `subscribeOn` moves that.
  @inlinable
  public static func from<Elements: Sequence & Sendable>(
    _ elements: Elements
  ) -> Signal where Elements.Element == Value {
    Signal { observer, subscription in
      send(elements.makeIterator(), to: observer, in: subscription)
    }
  }

  /// A signal of the elements of a sequence, each sent in a separate turn of a scheduler, so that
  /// other work can run in between. RAC: `RACSequence`'s `signalWithScheduler:`.
  ///
  /// - Values: the elements, in order.
  /// - Error: none.
  /// - Completion: in a turn of its own, after the last element.
  /// - Disposal: drops the turn that is due; no further element is taken from the sequence.
  /// - Scheduler: sends on `scheduler`.
  public static func from<Elements: Sequence & Sendable>(
    _ elements: Elements, on scheduler: Scheduler
  ) -> Signal where Elements.Element == Value {
    Signal { observer, subscription in
      let iterator = SerialState(elements.makeIterator())
      let turns = ScheduledTurns(on: scheduler, in: subscription) {
        guard let element = iterator.value.next() else {
          observer.end(.completed)
          return false
        }
        observer.next(element)
        return !subscription.isDisposed
      }
      turns.request()
    }
  }

  /// Sends what is left of a sequence; an event loop that waits for a turn gets it in between.
  @inlinable
  package static func send<Elements: IteratorProtocol<Value>>(
    _ elements: Elements, to observer: Observer<Value>, in subscription: CompoundDisposable
  ) {
    var elements = elements
    var stretch = Stretch()
    while let element = elements.next() {
      if subscription.isDisposed { return }
      observer.next(element)
      switch stretch.step() {
      case .goOn: break
      case .pause(let pause):
        let rest: any RestOfSequence = Rest(elements, observer, subscription)
        return pause.end(in: subscription) { rest.send() }
      case .fail(let error):
        if !subscription.isDisposed { observer.end(.error(error)) }
        return
      }
    }
    if !subscription.isDisposed { observer.end(.completed) }
  }
}

/// A partially sent sequence.
@usableFromInline
protocol RestOfSequence: AnyObject, Sendable {
  func send()
}

@usableFromInline
final class Rest<Elements: IteratorProtocol>: RestOfSequence where Elements.Element: Sendable {
  private let elements: SerialState<Elements>
  private let observer: Observer<Elements.Element>
  private let subscription: CompoundDisposable

  @usableFromInline
  init(
    _ elements: Elements, _ observer: Observer<Elements.Element>,
    _ subscription: CompoundDisposable
  ) {
    self.elements = SerialState(elements)
    self.observer = observer
    self.subscription = subscription
  }

  @usableFromInline
  func send() {
    Signal.send(elements.value, to: observer, in: subscription)
  }
}
