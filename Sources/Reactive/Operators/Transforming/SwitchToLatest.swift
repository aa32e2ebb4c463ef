import Synchronization

extension Signal {
  /// Sends the values of the latest signal that this one has sent. RAC: `switchToLatest`.
  ///
  /// - Values: those of each signal until the next one comes.
  /// - Error: this signal's or that of the latest one.
  /// - Completion: when this signal and the latest one have completed.
  /// - Disposal: disposes this signal and the latest one. When a new one comes, the one before is
  ///   disposed first and then the new one is subscribed to.
  /// - Scheduler: each is subscribed to where it is sent; values arrive where they are sent.
  public func switchToLatest<Inner>() -> Signal<Inner> where Value == Signal<Inner> {
    Signal<Inner> { [source] observer, subscription in
      let switching = Switching(observer, subscription)
      source(
        Observer(next: { switching.replace(with: $0) }, end: { switching.endOuter($0) }),
        subscription)
    }
  }
}

/// The single active signal out of many.
private final class Switching<Value: Sendable>: Sendable {
  private struct State {
    /// The subscription to the latest signal until that ends.
    var latest: CompoundDisposable?
    var isOuterActive = true

    var isFinished: Bool { latest == nil && !isOuterActive }
  }

  private let serializer: Serializer<Value>
  private let subscription: CompoundDisposable
  private let state = Mutex(State())
  /// The number of signals that have arrived: a signal's events count only until the next one
  /// arrives.
  private let count = Atomic<Int>(0)

  init(_ observer: Observer<Value>, _ subscription: CompoundDisposable) {
    serializer = Serializer(observer, subscription)
    self.subscription = subscription
  }

  func replace(with signal: Signal<Value>) {
    let inner = subscription.makeChild()
    let number = count.add(1, ordering: .acquiringAndReleasing).newValue
    let old = state.withLock { state in
      defer { state.latest = inner }
      return state.latest
    }
    old?.dispose()
    // That disposal may have delivered a newer signal.
    guard !inner.isDisposed else { return }
    let isLatest: @Sendable () -> Bool = {
      self.count.load(ordering: .acquiring) == number
    }
    let next: @Sendable (Value) -> Void = { [serializer] value in
      if isLatest() { serializer.next(value) }
    }
    let batch = serializer.observer.batch.map { [serializer] deliver in
      let send: @Sendable (Batch<Value>) -> Void = { if isLatest() { deliver($0) } }
      return { @Sendable (batch: Batch<Value>) in serializer.submit(batch, to: send) }
    }
    signal.observe(
      Observer(
        next: { [serializer] in serializer.submit($0, to: next) }, batch: batch,
        end: { termination in
          inner.dispose()
          self.end(termination, of: inner, isLatest)
        }), in: inner)
  }

  func endOuter(_ termination: Termination) {
    let isFinished = state.withLock { state in
      state.isOuterActive = false
      return state.isFinished
    }
    if isFinished { serializer.sendEnd(termination) } else { serializer.sendError(of: termination) }
  }

  private func end(
    _ termination: Termination, of inner: CompoundDisposable,
    _ isLatest: @escaping @Sendable () -> Bool
  ) {
    if case .error = termination {
      return serializer.submit(termination) { [serializer] termination in
        if isLatest() { serializer.end(termination) }
      }
    }
    let isFinished = state.withLock { state in
      guard state.latest === inner else { return false }
      state.latest = nil
      return state.isFinished
    }
    if isFinished { serializer.sendEnd(.completed) }
  }
}
