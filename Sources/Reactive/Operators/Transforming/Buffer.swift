extension Signal {
  /// Collects the values of each interval. RAC: `bufferWithTime:onScheduler:`.
  ///
  /// - Values: an array of the values that came within `time` of the first of them; never empty.
  /// - Error: passed on at once; the values collected are dropped.
  /// - Completion: with the source, after the values collected so far.
  /// - Disposal: disposes the source and the timer and releases the values collected.
  /// - Scheduler: arrays come on `scheduler`, the last one where the source completes.
  ///
  /// - Parameters:
  ///   - time: how long values are collected, from the first one on.
  ///   - scheduler: keeps the time; nil for the one that is current where the first of the values
  ///     arrives, or a serial queue of the operator's own.
  public func buffer(_ time: Duration, on scheduler: Scheduler? = nil) -> Signal<[Value]> {
    Signal<[Value]> { [source] observer, subscription in
      let scheduler = EventScheduler(scheduler)
      let serializer = Serializer(observer, subscription)
      let collected = SerialState<[Value]>([])
      let timer = SerialDisposable()
      subscription.add(timer)
      let flush: @Sendable () -> Void = {
        guard !collected.value.isEmpty else { return }
        let values = collected.value
        collected.value = []
        serializer.next(values)
      }
      let receive: @Sendable (Value, Scheduler) -> Void = { value, scheduler in
        collected.value.append(value)
        guard collected.value.count == 1 else { return }
        timer.inner = scheduler.schedule(after: time) { serializer.submit((), to: flush) }
      }
      source(
        Observer(
          next: { serializer.submit(($0, scheduler.here), to: receive) },
          end: {
            serializer.submit($0) { termination in
              timer.dispose()
              if case .completed = termination { flush() }
              serializer.end(termination)
            }
          }), subscription)
    }
  }
}
