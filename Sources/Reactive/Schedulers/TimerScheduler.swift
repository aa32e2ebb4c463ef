extension Scheduler {
  /// The scheduler for the timers of an operator: the one given, or the one that is current, or a
  /// background queue. RAC had none without a current one.
  static func forTimers(_ given: Scheduler?) -> Scheduler {
    given ?? current ?? background(named: "reactive.timers")
  }
}

extension CompoundDisposable {
  /// Runs `work` on a scheduler after a delay, unless this subscription is disposed before. Nothing of
  /// it stays in the subscription once it has run.
  ///
  /// - Returns: the timer alone, to dispose it earlier.
  @discardableResult
  func addTimer(
    after delay: Duration, on scheduler: Scheduler, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let timer = makeChild()
    timer.add(
      scheduler.schedule(after: delay) {
        guard !timer.isDisposed else { return }
        timer.dispose()
        work()
      })
    return timer
  }
}
