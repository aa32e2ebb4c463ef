import Synchronization

extension Signal {
  /// Delays values and completion, but not errors. RAC: `delay:`.
  ///
  /// - Values: the source's, each after `interval`, in order.
  /// - Error: passed on at once; the values on their way are dropped.
  /// - Completion: with the source, after `interval`.
  /// - Disposal: disposes the source, drops the values on their way and stops their timer.
  /// - Scheduler: values and the completion arrive on `scheduler`, each on its own where that is nil;
  ///   an error as the source sends it or, while a value is being delivered, after it.
  ///
  /// - Parameters:
  ///   - interval: how much later, on a monotonic clock.
  ///   - scheduler: keeps the time; nil for the one that is current where the event arrives, or a
  ///     serial queue of the operator's own.
  public func delay(_ interval: Duration, on scheduler: Scheduler? = nil) -> Signal<Value> {
    Signal { [source] observer, subscription in
      let line = DelayLine(interval, on: EventScheduler(scheduler), observer, subscription)
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

/// Pending events, each with its due time and the scheduler that times it; one timer runs, for the
/// first of them.
private final class DelayLine<Value: Sendable>: Sendable {
  private struct Item {
    let event: Event<Value>
    let scheduler: Scheduler
    let due: Duration
  }

  private struct State {
    var items = Queue<Item>()
    /// Removed from the queue and not due yet, or due on another scheduler.
    var first: Item?
    var isTiming = false
  }

  private enum Step {
    case deliver(Event<Value>)
    case wait(Item)
    case rest
  }

  private let interval: Duration
  private let scheduler: EventScheduler
  private let downstream: Serializer<Value>
  private let subscription: CompoundDisposable
  private let state = Mutex(State())

  init(
    _ interval: Duration, on scheduler: EventScheduler, _ observer: Observer<Value>,
    _ subscription: CompoundDisposable
  ) {
    self.interval = interval
    self.scheduler = scheduler
    self.subscription = subscription
    downstream = Serializer(observer, subscription)
  }

  func append(_ event: Event<Value>) {
    let scheduler = scheduler.here
    let item = Item(event: event, scheduler: scheduler, due: scheduler.now + interval)
    let starts = state.withLock { state in
      state.items.append(item)
      defer { state.isTiming = true }
      return !state.isTiming
    }
    if starts { startTimer(after: interval, on: scheduler) }
  }

  func fail(_ termination: Termination) {
    clear()
    downstream.sendEnd(termination)
  }

  /// Drops all pending events.
  func clear() {
    // The events are released outside the lock.
    _ = state.withLock { state in
      defer {
        state.items = Queue()
        state.first = nil
      }
      return (state.items, state.first)
    }
  }

  private func startTimer(after delay: Duration, on scheduler: Scheduler) {
    subscription.addTimer(after: delay, on: scheduler) { [self] in deliverDue(on: scheduler) }
  }

  private func deliverDue(on scheduler: Scheduler) {
    while !subscription.isDisposed {
      switch nextStep(on: scheduler) {
      case .deliver(.next(let value)): downstream.sendNext(value)
      case .deliver(.completed): downstream.sendEnd(.completed)
      case .deliver(.error(let error)): downstream.sendEnd(.error(error))
      case .wait(let item):
        let delay = max(.zero, item.due - item.scheduler.now)
        return startTimer(after: delay, on: item.scheduler)
      case .rest: return
      }
    }
  }

  private func nextStep(on scheduler: Scheduler) -> Step {
    let now = scheduler.now
    return state.withLock { state in
      guard let next = state.first.take() ?? state.items.popFirst() else {
        state.isTiming = false
        return .rest
      }
      if next.scheduler === scheduler, next.due <= now { return .deliver(next.event) }
      state.first = next
      return .wait(next)
    }
  }
}
