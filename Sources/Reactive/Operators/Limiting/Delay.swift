import Synchronization

extension Signal {
  /// Sends everything but errors later. RAC: `delay:`.
  ///
  /// - Values: the source's, each after `interval`, in order.
  /// - Error: passed on at once; the values on their way are dropped.
  /// - Completion: with the source, after `interval`.
  /// - Disposal: disposes the source, drops the values on their way and stops their timer.
  /// - Scheduler: values and the completion arrive on `scheduler`, an error as the source sends it or,
  ///   while a value is being delivered, after it.
  ///
  /// - Parameters:
  ///   - interval: how much later, on a monotonic clock.
  ///   - scheduler: keeps the time; nil for the one that is current at the subscription, or a
  ///     background queue.
  public func delay(_ interval: Duration, on scheduler: Scheduler? = nil) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let line = DelayLine(interval, on: .forTimers(scheduler), observer, subscription)
      subscription.add { [weak line] in line?.clear() }
      source(
        Observer(
          next: { line.append(.next($0)) },
          end: { termination in
            switch termination {
            case .completed: line.append(.completed)
            case .error: line.fail(termination)
            }
          }), subscription)
    }
  }
}

/// Events on their way, with the time at which each is due; one timer runs, for the first of them.
private final class DelayLine<Value: Sendable>: Sendable {
  private struct State {
    var events = Queue<(due: Duration, event: Event<Value>)>()
    /// Taken from the queue and not yet due.
    var first: (due: Duration, event: Event<Value>)?
    var isTiming = false
  }

  private enum Step {
    case deliver(Event<Value>)
    case wait(Duration)
    case rest
  }

  private let interval: Duration
  private let scheduler: Scheduler
  private let downstream: Serializer<Value>
  private let subscription: CompoundDisposable
  private let state = Mutex(State())

  init(
    _ interval: Duration, on scheduler: Scheduler, _ observer: Observer<Value>,
    _ subscription: CompoundDisposable
  ) {
    self.interval = interval
    self.scheduler = scheduler
    self.subscription = subscription
    downstream = Serializer(observer, subscription)
  }

  func append(_ event: Event<Value>) {
    let due = scheduler.now + interval
    let starts = state.withLock { state in
      state.events.append((due, event))
      defer { state.isTiming = true }
      return !state.isTiming
    }
    if starts { startTimer(after: interval) }
  }

  func fail(_ termination: Termination) {
    clear()
    downstream.sendEnd(termination)
  }

  /// Drops what is on its way.
  func clear() {
    // What is taken out is released after the lock.
    _ = state.withLock { state in
      defer {
        state.events = Queue()
        state.first = nil
      }
      return (state.events, state.first)
    }
  }

  private func startTimer(after delay: Duration) {
    subscription.addTimer(after: delay, on: scheduler) { [self] in deliverDue() }
  }

  private func deliverDue() {
    while !subscription.isDisposed {
      switch nextStep() {
      case .deliver(.next(let value)): downstream.sendNext(value)
      case .deliver(.completed): downstream.sendEnd(.completed)
      case .deliver(.error(let error)): downstream.sendEnd(.error(error))
      case .wait(let delay): return startTimer(after: delay)
      case .rest: return
      }
    }
  }

  private func nextStep() -> Step {
    let now = scheduler.now
    return state.withLock { state in
      guard let next = state.first.take() ?? state.events.popFirst() else {
        state.isTiming = false
        return .rest
      }
      if next.due <= now { return .deliver(next.event) }
      state.first = next
      return .wait(next.due - now)
    }
  }
}
