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
}
