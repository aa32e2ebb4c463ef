extension Signal {
  /// A signal of the elements of a sequence, gone through anew for each subscription. RAC:
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
      for element in elements {
        if subscription.isDisposed { return }
        observer.next(element)
      }
      if !subscription.isDisposed { observer.end(.completed) }
    }
  }

  /// A signal of the elements of a sequence, each sent in a turn of its own on a scheduler, so that
  /// other work has its turn between two of them. RAC: `RACSequence`'s `signalWithScheduler:`.
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
      let turns = Turns(on: scheduler, in: subscription) {
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
}
