import Synchronization

/// One subscriber of a subject: its place in the subject, and the disposable that gives it up.
///
/// Apart from its values, so that what a list does with it is not generic code.
@usableFromInline
class SubjectNode: Disposable, @unchecked Sendable {
  // Unchecked: `index` belongs to whoever owns the list; the rest is immutable or atomic.
  @usableFromInline final let disposed = Atomic<Bool>(false)
  @usableFromInline final let list: SubscriberList

  /// The place among the live nodes; -1 outside.
  @exclusivity(unchecked)
  @usableFromInline final var index = -1

  @inlinable
  init(_ list: SubscriberList) {
    self.list = list
  }

  @inlinable
  final var isDisposed: Bool { disposed.load(ordering: .acquiring) }

  /// Lets nothing more through; true for the first who asks.
  @inlinable
  final func close() -> Bool {
    !disposed.exchange(true, ordering: .acquiringAndReleasing)
  }

  @usableFromInline
  final func dispose() {
    if !isDisposed, close() { list.remove(self) }
  }
}

/// A subscriber with its values.
@usableFromInline
final class SubjectSink<Value: Sendable>: SubjectNode, @unchecked Sendable {
  @usableFromInline let observer: Observer<Value>

  @inlinable
  init(_ observer: Observer<Value>, _ list: SubscriberList) {
    self.observer = observer
    super.init(list)
  }
}
