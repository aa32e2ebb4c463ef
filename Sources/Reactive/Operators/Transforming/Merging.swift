import Synchronization

/// Any number of signals subscribed to at once, their events sent to one observer.
@usableFromInline
package final class Merging<Value: Sendable>: Sendable {
  @usableFromInline let serializer: Serializer<Value>
  @usableFromInline let subscription: CompoundDisposable
  /// The closures that all the signals share.
  @usableFromInline let next: @Sendable (Value) -> Void
  @usableFromInline let batch: (@Sendable (Batch<Value>) -> Void)?
  /// The number of signals that have not ended, including the source of the signals.
  @usableFromInline let active = Atomic<Int>(1)

  @inlinable
  init(_ observer: Observer<Value>, _ subscription: CompoundDisposable) {
    let serializer = Serializer(observer, subscription)
    self.serializer = serializer
    self.subscription = subscription
    next = { serializer.sendNext($0) }
    batch = serializer.sendBatch
  }

  @inlinable
  @inline(never)
  package func add(_ signal: Signal<Value>) {
    if let value = signal.singleValue { return send(value) }
    active.add(1, ordering: .relaxed)
    let inner = subscription.makeChild()
    guard !inner.isDisposed else { return }
    signal.observe(
      Observer(
        next: next, batch: batch,
        end: { termination in
          inner.dispose()
          self.leave(termination)
        }), in: inner)
  }

  /// Has the same effect as adding a signal of one value.
  @inlinable
  package func send(_ value: Value) {
    guard !subscription.isDisposed else { return }
    withoutRetaining(serializer) { $0.sendNext(value) }
  }

  @usableFromInline
  func endOuter(_ termination: Termination) {
    leave(termination)
  }

  @usableFromInline
  func leave(_ termination: Termination) {
    if case .error = termination {
      serializer.sendEnd(termination)
    } else if active.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      serializer.sendEnd(.completed)
    }
  }
}
