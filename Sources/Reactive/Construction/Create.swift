extension Signal {
  /// A signal whose work is `didSubscribe`, run anew for each subscription. RAC: `createSignal:`.
  ///
  /// - Values: what the block sends through its subscriber.
  /// - Error: what the block sends; the block itself cannot throw.
  /// - Completion: when the block sends it.
  /// - Disposal: disposes what the block returned, after which nothing sent arrives. A block that lets
  ///   go of its subscriber without an end leaves the subscription open.
  /// - Scheduler: the block runs where the subscription is made; events arrive where it sends them.
  @inlinable
  public static func create(
    _ didSubscribe: @escaping @Sendable (Subscriber<Value>) -> (any Disposable)?
  ) -> Signal<Value> {
    Signal { observer, subscription in
      let subscriber = Subscriber(observer, subscription)
      subscription.add(gate: subscriber)
      if let disposable = didSubscribe(subscriber) { subscription.add(disposable) }
    }
  }
}
