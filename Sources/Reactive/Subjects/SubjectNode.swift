import Synchronization

/// One subscriber of a subject: its place in the subject, and the disposable that removes it.
///
/// Independent of its values, so that a list handles it without generic code.
@usableFromInline
class SubjectNode: Disposable, @unchecked Sendable {
  // Unchecked: the list's owner owns `index`; the first caller that closes the node owns `heldList`;
  // the rest is immutable or atomic.
  @usableFromInline final let disposed = Atomic<Bool>(false)
  /// True for a `SubjectSubscription`; methods that subclasses override would not be specialised.
  @usableFromInline final let isSubscription: Bool
  @exclusivity(unchecked)
  private final var heldList: Unmanaged<SubscriberList>?

  /// The index among the live nodes; -1 outside.
  @exclusivity(unchecked)
  @usableFromInline final var index = -1

  /// - Parameter list: unmanaged, so that it is retained once.
  @usableFromInline
  init(_ list: Unmanaged<SubscriberList>, isSubscription: Bool) {
    heldList = list.retain()
    self.isSubscription = isSubscription
  }

  deinit {
    heldList?.release()
  }

  /// The list; of a subscription only until it is closed.
  final var list: SubscriberList {
    heldList.unsafelyUnwrapped.takeUnretainedValue()
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
    if isSubscription { return closeAndLeaveList() }
    disposed.store(true, ordering: .releasing)
    return true
  }

  /// Closes a subscription, which may be kept after its end, but then keeps nothing.
  @usableFromInline
  final func closeAndLeaveList() -> Bool {
    guard close() else { return false }
    heldList.take()?.release()
    return true
  }

  @usableFromInline
  final func dispose() {
    guard !isDisposed, close() else { return }
    heldList.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.remove(self) }
    if isSubscription { heldList.take()?.release() }
  }

  /// Releases the closures of a subscription that has been disposed and that nothing delivers to any
  /// more; called by the owner of the list, or by who alone knows of the node.
  @inlinable
  final func forgetIfGone() {
    if isSubscription && index < 0 && isDisposed { forget() }
  }

  /// Releases what receives the events.
  @usableFromInline
  func forget() {}
}
