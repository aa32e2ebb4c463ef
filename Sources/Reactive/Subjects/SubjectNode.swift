import Synchronization

/// One subscriber of a subject: its place in the subject, and the disposable that gives it up.
@usableFromInline
final class SubjectNode<Value: Sendable>: Disposable, @unchecked Sendable {
  // Unchecked: `index` belongs to whoever owns the core's phase; the rest is immutable or atomic.
  @usableFromInline let observer: Observer<Value>
  @usableFromInline let disposed = Atomic<Bool>(false)
  private let core: SubjectCore<Value>

  /// The place in the core's list of live nodes; -1 outside it.
  @exclusivity(unchecked)
  var index = -1

  init(_ observer: Observer<Value>, core: SubjectCore<Value>) {
    self.observer = observer
    self.core = core
  }

  @usableFromInline
  var isDisposed: Bool { disposed.load(ordering: .acquiring) }

  @usableFromInline
  func dispose() {
    guard !disposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    core.remove(self)
  }
}
