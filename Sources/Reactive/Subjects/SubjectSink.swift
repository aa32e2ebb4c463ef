/// A subscriber and the type of its values: a `SubjectObserver` or a `SubjectSubscription`.
@usableFromInline
class SubjectSink<Value: Sendable>: SubjectNode, @unchecked Sendable {
  // Unchecked only because its superclass is open: it adds no property.

  /// The observer; nil for a subscription.
  @inlinable
  final var observer: Observer<Value>? {
    isSubscription ? nil : unsafeDowncast(self, to: SubjectObserver<Value>.self).receiver
  }

  @inlinable
  final func next(_ value: Value) {
    if isSubscription {
      unsafeDowncast(self, to: SubjectSubscription<Value>.self).receive(value)
    } else {
      unsafeDowncast(self, to: SubjectObserver<Value>.self).receiver.next(value)
    }
  }

  @inlinable
  final func end(_ termination: Termination) {
    if isSubscription {
      unsafeDowncast(self, to: SubjectSubscription<Value>.self).receive(termination)
    } else {
      unsafeDowncast(self, to: SubjectObserver<Value>.self).receiver.end(termination)
    }
  }

  /// Receives a batch, value by value if its observer takes them so, as long as it is not disposed.
  @usableFromInline
  final func receive(_ batch: Batch<Value>) {
    if let receive = observer?.batch {
      receive(batch)
    } else {
      batch.forEach(from: 0, while: { !isDisposed }) { next($0) }
    }
  }

  @usableFromInline
  final func receive(_ piece: Piece<Value>) {
    switch piece {
    case .value(let value): next(value)
    case .batch(let batch): receive(batch)
    }
  }

  /// Receives a record, as long as it is not disposed.
  @inlinable
  final func replay(_ record: ReplayBuffer<Value>.Snapshot) {
    if record.batches != nil {
      record.forEachPiece(while: { !isDisposed }) { receive($0) }
    } else if isSubscription {
      record.forEach(while: { !isDisposed }) { next($0) }
    } else {
      record.forEach(
        while: { !isDisposed }, unsafeDowncast(self, to: SubjectObserver<Value>.self).receiver.next)
    }
  }
}

/// The place of an observer in a subject.
@usableFromInline
final class SubjectObserver<Value: Sendable>: SubjectSink<Value>, @unchecked Sendable {
  // Unchecked only because its superclass is open: the property that it adds is immutable.

  @usableFromInline let receiver: Observer<Value>

  @inlinable
  init(_ observer: Observer<Value>, _ list: Unmanaged<SubscriberList>) {
    receiver = observer
    super.init(list, isSubscription: false)
  }
}

/// A subscription with the place in the subject in one object, for closures that no operator stands in
/// front of.
///
/// Unlike the place of an observer, which its subscription releases, it may be kept by anybody.
/// Therefore it releases the closures as soon as it has ended.
@usableFromInline
final class SubjectSubscription<Value: Sendable>: SubjectSink<Value>, @unchecked Sendable {
  // Unchecked: the closures belong to who delivers: to the subscribing thread until the node is in
  // the list, and then to the owner of the list.

  @exclusivity(unchecked)
  @usableFromInline var receiver: Observer<Value>?

  @inlinable
  init(_ observer: Observer<Value>, _ list: Unmanaged<SubscriberList>) {
    receiver = observer
    super.init(list, isSubscription: true)
  }

  // Out of line, as in `SingleValue`.

  @inlinable
  @inline(never)
  func receive(_ value: Value) {
    // Moved out meanwhile, which counts no reference; nobody else looks for it.
    guard let receiver = receiver.take() else { return }
    receiver.next(value)
    self.receiver = consume receiver
  }

  @inlinable
  @inline(never)
  func receive(_ termination: Termination) {
    // The owner of the list has closed it, but not one that is not in the list yet.
    if !isDisposed { _ = closeAndLeaveList() }
    receiver.take()?.end(termination)
  }

  @usableFromInline
  override func forget() {
    receiver = nil
  }
}
