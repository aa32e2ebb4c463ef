import Synchronization

/// Subscribing: at once, or after catching up with the record.
extension SubjectCore {
  @inlinable
  func add(_ observer: Observer<Value>, _ subscription: CompoundDisposable) {
    guard !subscription.isDisposed else { return }
    add(Sink(observer, self), subscription)
  }

  @inlinable
  func add(_ node: Sink, _ subscription: CompoundDisposable) {
    subscription.add(node: node)
    if isReplaying {
      if !joinAtStart(node) { replay(to: node) }
    } else if gate.acquire() {
      let termination = termination
      if termination == nil { append(node) }
      if !gate.release() { drainInRoom() }
      if let termination, !node.isDisposed { node.observer.end(termination) }
    } else {
      submit(.join(node))
    }
  }

  /// Adds a subscriber that has missed nothing, if there is no owner at the moment.
  @inlinable
  func joinAtStart(_ node: Sink) -> Bool {
    guard gate.acquire() else { return false }
    // The owner alone writes these, so it may read them without the lock.
    let isAtStart = termination == nil && isRecordEmpty
    if isAtStart { append(node) }
    if !gate.release() { drainInRoom() }
    return isAtStart
  }

  /// Sends the record on this thread; the owner delivers events that arrive meanwhile.
  @inlinable
  func replay(to node: Sink) {
    let (past, end) = withLock {
      if termination == nil { needBacklog().catchingUp.append(CatchUp(node)) }
      return (Past(value: single, record: recording?.buffer.snapshot()), termination)
    }
    if let value = past.value {
      if !node.isDisposed { node.observer.next(value) }
    } else {
      past.record?.forEach(while: { !node.isDisposed }, node.observer.next)
    }
    if let end {
      if !node.isDisposed { node.observer.end(end) }
    } else {
      submit(.join(node))
    }
  }
}
