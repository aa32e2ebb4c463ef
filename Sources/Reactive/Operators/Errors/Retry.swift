extension Signal {
  /// Subscribes again after an error. RAC: `retry:`, `retry`.
  ///
  /// - Values: those of every round.
  /// - Error: the one of the last round that was allowed.
  /// - Completion: with the first round that completes.
  /// - Disposal: disposes the round that is running; no other follows.
  /// - Scheduler: the source's; a round starts where the error of the one before arrived. Rounds that
  ///   fail synchronously use no stack.
  ///
  /// - Parameter count: how many rounds may follow the first; 0, as in RAC, for any number.
  public func retry(_ count: Int = 0) -> Signal<Value> {
    // Wraps the signal instead of capturing it: a subscription must not keep a subject alive.
    let source = Signal(self)
    return Signal { observer, subscription in
      let failures = SerialState(0)
      let rounds = Resubscription(source, observer, in: subscription) { termination in
        guard case .error = termination else { return false }
        failures.value += 1
        return count <= 0 || failures.value <= count
      }
      rounds.request()
    }
  }

  /// Subscribes again after completion, forever. RAC: `repeat`.
  ///
  /// - Values: those of every round.
  /// - Error: passed on; no round follows.
  /// - Completion: never; `take` or disposal ends it.
  /// - Disposal: disposes the round that is running; no other follows.
  /// - Scheduler: the source's; a round starts where the one before completed. Rounds that complete
  ///   synchronously use no stack.
  public func `repeat`() -> Signal<Value> {
    Signal { observer, subscription in
      // Captures the signal itself: a released subject would complete over and over.
      let rounds = Resubscription(self, observer, in: subscription) { termination in
        if case .completed = termination { true } else { false }
      }
      rounds.request()
    }
  }
}
