extension Signal {
  /// Sends the values of several signals as they arrive. RAC: `merge:`.
  ///
  /// - Values: every value of every signal, in the order in which they come.
  /// - Error: the first one of any signal; the others are disposed.
  /// - Completion: when all have completed; at once if there are none.
  /// - Disposal: disposes all.
  /// - Scheduler: whichever a signal sends on; values that come at the same time are delivered one
  ///   after the other by the thread that is delivering already.
  public static func merge(_ signals: [Signal<Value>]) -> Signal<Value> {
    Signal { observer, subscription in
      let merging = Merging(observer, subscription)
      for signal in signals where !subscription.isDisposed { merging.add(signal) }
      merging.endOuter(.completed)
    }
  }

  /// Sends the values of several signals as they arrive. RAC: `merge:`.
  ///
  /// - Values: every value of every signal, in the order in which they come.
  /// - Error: the first one of any signal; the others are disposed.
  /// - Completion: when all have completed; at once if there are none.
  /// - Disposal: disposes all.
  /// - Scheduler: as for the form with an array.
  public static func merge(_ signals: Signal<Value>...) -> Signal<Value> {
    merge(signals)
  }

  /// Sends the values of this signal and another as they come. RAC: `merge:`.
  ///
  /// - Values: every value of both, in the order in which they come.
  /// - Error: the first one of either; the other is disposed.
  /// - Completion: when both have completed.
  /// - Disposal: disposes both.
  /// - Scheduler: as for the form with an array.
  public func merge(_ other: Signal<Value>) -> Signal<Value> {
    .merge([self, other])
  }
}

extension Signal {
  /// Sends the values of the signals that this one sends, as they arrive. RAC: `merge` of a signal
  /// of signals.
  ///
  /// - Values: those of all the signals, in the order in which they come.
  /// - Error: this signal's or the first one of those; the rest is disposed.
  /// - Completion: when this signal and all of those have completed.
  /// - Disposal: disposes this signal and those that are running.
  /// - Scheduler: as for `flatten`.
  public func merge<Inner>() -> Signal<Inner> where Value == Signal<Inner> {
    flatten()
  }
}
