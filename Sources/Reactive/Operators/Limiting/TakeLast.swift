extension Signal {
  /// Keeps the latest values and sends them at the end. RAC: `takeLast:`.
  ///
  /// - Values: the last `count`, or all if there are fewer, in order, when the source completes.
  /// - Error: passed on at once; the values kept are dropped.
  /// - Completion: with the source, after the values.
  /// - Disposal: disposes the source and releases the values kept.
  /// - Scheduler: the source's.
  public func takeLast(_ count: Int) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let latest = SerialState(ReplayBuffer<Value>(capacity: max(count, 0)))
      source(
        Observer(
          next: { _ = latest.value.append($0) },
          end: { termination in
            if case .completed = termination {
              latest.value.snapshot().forEach(
                while: { !subscription.isDisposed }, observer.next)
              if subscription.isDisposed { return }
            }
            observer.end(termination)
          }), subscription)
    }
  }
}
