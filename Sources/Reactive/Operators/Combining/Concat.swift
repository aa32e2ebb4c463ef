extension Signal {
  /// Continues with another signal after completion. RAC: `concat:`.
  ///
  /// - Values: this signal's, then `other`'s.
  /// - Error: of either; `other` is not subscribed to after one of this signal.
  /// - Completion: with `other`.
  /// - Disposal: disposes whichever is running. This signal is disposed before `other` is subscribed
  ///   to.
  /// - Scheduler: `other` is subscribed to where this signal completes.
  public func concat(_ other: Signal<Value>) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let upstream = subscription.makeChild()
      source(
        Observer(
          next: observer.next, batch: observer.batch,
          end: { termination in
            guard case .completed = termination else { return observer.end(termination) }
            upstream.dispose()
            if !subscription.isDisposed { other.observe(observer, in: subscription) }
          }), upstream)
    }
  }

  /// Runs several signals one after the other. RAC: `concat:`.
  ///
  /// - Values: those of each signal, in the order of the signals.
  /// - Error: of the one that is running; no other is subscribed to.
  /// - Completion: with the last; at once if there are none.
  /// - Disposal: disposes the one that is running.
  /// - Scheduler: each is subscribed to where the one before completes. Signals that complete
  ///   synchronously use no stack.
  public static func concat(_ signals: [Signal<Value>]) -> Signal<Value> {
    Signal<Signal<Value>>.from(signals).flatten(1)
  }

  /// Runs several signals one after the other. RAC: `concat:`.
  ///
  /// - Values: those of each signal, in the order of the signals.
  /// - Error: of the one that is running; no other is subscribed to.
  /// - Completion: with the last; at once if there are none.
  /// - Disposal: disposes the one that is running.
  /// - Scheduler: as for the form with an array.
  public static func concat(_ signals: Signal<Value>...) -> Signal<Value> {
    concat(signals)
  }
}

extension Signal {
  /// Runs the signals that this one sends one after the other. RAC: `concat` of a signal of signals.
  ///
  /// - Values: those of each signal, in the order in which the signals came.
  /// - Error: this signal's at once, or that of the one that is running.
  /// - Completion: when this signal and all of those have completed.
  /// - Disposal: disposes this signal and the one that is running.
  /// - Scheduler: each is subscribed to where the one before completes, or where it was sent.
  public func concat<Inner>() -> Signal<Inner> where Value == Signal<Inner> {
    flatten(1)
  }
}
