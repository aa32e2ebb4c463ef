extension Signal {
  /// The values as an async sequence; each iteration subscribes separately.
  ///
  /// - Values: the elements; those that come faster than they are taken wait without limit.
  /// - Error: thrown by the iteration after the values before it.
  /// - Completion: ends the iteration.
  /// - Disposal: leaving the iteration or cancelling its task disposes the source. A cancelled
  ///   iteration ends.
  /// - Scheduler: the source's for the subscription; elements are taken in the task.
  public var values: SignalValues<Value> { SignalValues(self) }

  /// A signal of the elements of an async sequence, which each subscription iterates again.
  ///
  /// - Values: the elements, in order.
  /// - Error: what the iteration throws.
  /// - Completion: when the iteration ends.
  /// - Disposal: cancels the task of the iteration.
  /// - Scheduler: sends in that task, on Swift's pool of threads.
  public static func from<Elements: AsyncSequence & Sendable>(
    _ elements: Elements
  ) -> Signal where Elements.Element == Value {
    .create { subscriber in
      let task = Task {
        do {
          for try await element in elements {
            if subscriber.isDisposed { return }
            subscriber.sendNext(element)
          }
          subscriber.sendCompleted()
        } catch {
          subscriber.sendError(error)
        }
      }
      return ActionDisposable { task.cancel() }
    }
  }
}

/// The values of a signal as an async sequence.
public struct SignalValues<Value: Sendable>: AsyncSequence, Sendable {
  /// Iterates over the values of one subscription.
  public typealias AsyncIterator = AsyncThrowingStream<Value, any Error>.AsyncIterator

  private let signal: Signal<Value>

  init(_ signal: Signal<Value>) {
    self.signal = signal
  }

  /// Subscribes to the signal.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncThrowingStream { continuation in
      let subscription = CompoundDisposable()
      continuation.onTermination = { _ in subscription.dispose() }
      signal.observe(
        Observer(
          next: { continuation.yield($0) },
          end: { termination in
            switch termination {
            case .completed: continuation.finish()
            case .error(let error): continuation.finish(throwing: error)
            }
          }), in: subscription)
    }.makeAsyncIterator()
  }
}
