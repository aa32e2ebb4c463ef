/// A subscriber and the type of its values: a `SubjectObserver` or a `SubjectSubscription`.
@usableFromInline
class SubjectSink<Value: Sendable>: SubjectNode, @unchecked Sendable {
  // Unchecked only because the class is not final: it adds no property.

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

  @inlinable
  final func send(_ event: Event<Value>) {
    switch event {
    case .next(let value): next(value)
    case .error(let error): end(.error(error))
    case .completed: end(.completed)
    }
  }

  /// Receives a record, as long as it is not disposed.
  @inlinable
  final func replay(_ record: ReplayBuffer<Value>.Snapshot) {
    if isSubscription {
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
  init(_ observer: Observer<Value>, _ list: SubscriberList) {
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
  // Unchecked: the closures belong to who delivers: the subscribing thread, until it joins the list,
  // and then the owner of the list.

  @exclusivity(unchecked)
  @usableFromInline var next: (@Sendable (Value) -> Void)?
  @exclusivity(unchecked)
  @usableFromInline var error: (@Sendable (any Error) -> Void)?
  @exclusivity(unchecked)
  @usableFromInline var completed: (@Sendable () -> Void)?

  @inlinable
  init(
    _ next: @escaping @Sendable (Value) -> Void, _ error: (@Sendable (any Error) -> Void)?,
    _ completed: (@Sendable () -> Void)?, _ list: SubscriberList
  ) {
    self.next = next
    self.error = error
    self.completed = completed
    super.init(list, isSubscription: true)
  }

  // Out of line, as in `SingleValue`.

  @inlinable
  @inline(never)
  func receive(_ value: Value) {
    // Moved out meanwhile, which counts no reference; nobody else looks for it. Not by `take`, a generic
    // function, which closures go through in another form, in an object of its own.
    let receive = next
    next = nil
    receive?(value)
    next = consume receive
  }

  @inlinable
  @inline(never)
  func receive(_ termination: Termination) {
    switch termination {
    case .completed: completed?()
    case .error(let failure): error?(failure)
    }
    forget()
  }

  @usableFromInline
  override func forget() {
    next = nil
    error = nil
    completed = nil
  }
}
