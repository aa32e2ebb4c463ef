extension Signal {
  /// Sends the values of the signals that this one sends, with a limit on how many run at a time.
  /// RAC: `flatten`, `flatten:`.
  ///
  /// - Values: those of all the signals, in the order in which they come.
  /// - Error: this signal's or the first one of those; the rest is disposed.
  /// - Completion: when this signal and all of those have completed.
  /// - Disposal: disposes this signal and those that are running; those that wait are dropped.
  /// - Scheduler: a signal is subscribed to where it is sent, or, if it had to wait, where one before
  ///   it completes. Signals that complete synchronously use no stack. Values that come at the same
  ///   time are delivered one after the other by the thread that is delivering already.
  ///
  /// - Parameter maxConcurrent: how many signals may be subscribed to at a time, also when they end
  ///   on several threads at once; the others wait in order. 0, as in RAC, for all.
  public func flatten<Inner>(
    _ maxConcurrent: Int = 0
  ) -> Signal<Inner> where Value == Signal<Inner> {
    guard maxConcurrent > 0 else { return flatMap { $0 } }
    return Signal<Inner> { [source] observer, subscription in
      let merging = LimitedMerging(observer, subscription, limit: maxConcurrent)
      source(
        Observer(next: { merging.add($0) }, end: { merging.endOuter($0) }), subscription)
    }
  }
}
