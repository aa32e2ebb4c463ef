import Synchronization

/// One subscriber of a subject: its place in the subject, and the disposable that removes it.
///
/// Independent of its values, so that a list handles it without generic code.
@usableFromInline
class SubjectNode: Disposable, @unchecked Sendable {
  // Unchecked: the list's owner owns `index`; the rest is immutable or atomic.
  @usableFromInline final let disposed = Atomic<Bool>(false)
  @usableFromInline final let list: SubscriberList

  /// The index among the live nodes; -1 outside.
  @exclusivity(unchecked)
  @usableFromInline final var index = -1

  @inlinable
  init(_ list: SubscriberList) {
    self.list = list
  }

  @inlinable
  final var isDisposed: Bool { disposed.load(ordering: .acquiring) }

  /// Stops all further events; true for the first caller.
  @inlinable
  final func close() -> Bool {
    !disposed.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Stops all further events but the end, which the owner of the list is about to deliver; true
  /// unless it was disposed before. Cheaper than `close`: a disposal at this moment may still look
  /// for its place.
  @inlinable
  final func closeForEnd() -> Bool {
    if isDisposed { return false }
    disposed.store(true, ordering: .releasing)
    return true
  }

  @usableFromInline
  final func dispose() {
    if !isDisposed, close() { list.remove(self) }
  }
}

/// A subscriber and the type of its values.
@usableFromInline
final class SubjectSink<Value: Sendable>: SubjectNode, @unchecked Sendable {
  // Unchecked only because its superclass is open: the property that it adds is immutable.

  @usableFromInline let observer: Observer<Value>

  @inlinable
  init(_ observer: Observer<Value>, _ list: SubscriberList) {
    self.observer = observer
    super.init(list)
  }
}
