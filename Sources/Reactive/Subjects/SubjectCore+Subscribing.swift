import Synchronization

/// How subscribers come in: at once, or after they have caught up with the record.
extension SubjectCore {
  @inlinable
  func add(_ observer: Observer<Value>, _ subscription: CompoundDisposable) {
    guard !subscription.isDisposed else { return }
    let node = Sink(observer, self)
    subscription.add(node)
    if isReplaying {
      if !joinAtStart(node) { replay(to: node) }
    } else if ownership.acquire() {
      let termination = termination
      if termination == nil { append(node) }
      if !ownership.release() { drainInRoom() }
      if let termination, !node.isDisposed { observer.end(termination) }
    } else {
      submit(.join(node))
    }
  }

  /// Adds a subscriber who has missed nothing, if nobody else is busy here.
  @inlinable
  func joinAtStart(_ node: Sink) -> Bool {
    guard ownership.acquire() else { return false }
    let isAtStart = waiting.withLock { waiting in
      termination == nil && waiting.backlog?.catchingUp.isEmpty ?? true
        && waiting.record?.isEmpty ?? true
    }
    if isAtStart { append(node) }
    if !ownership.release() { drainInRoom() }
    return isAtStart
  }

  @inlinable
  func replay(to node: Sink) {
    let (record, termination) = waiting.withLock { waiting in
      if waiting.termination == nil { waiting.needBacklog().catchingUp.append(CatchUp(node)) }
      return (waiting.record?.snapshot(), waiting.termination)
    }
    record?.forEach(while: { !node.isDisposed }, node.observer.next)
    if let termination {
      if !node.isDisposed { node.observer.end(termination) }
      return
    }
    while let missed = missedEvents(of: node) {
      for event in missed where !node.isDisposed { node.observer.send(event) }
    }
  }

  /// The events that came while a node was catching up; nil once there are none, and then the node
  /// has joined the live ones.
  @inlinable
  func missedEvents(of node: Sink) -> [Event<Value>]? {
    var owns = false
    let missed = waiting.withLock { waiting -> [Event<Value>] in
      let backlog = waiting.needBacklog()
      let missed = backlog.takeMissed(by: node)
      if missed.isEmpty || node.isDisposed {
        backlog.catchingUp.removeAll { $0.node === node }
        if !node.isDisposed && waiting.termination == nil {
          backlog.caughtUp.append(node)
          owns = ownership.acquireOrContend()
        }
        return []
      }
      return missed
    }
    if owns { drainInRoom() }
    return missed.isEmpty ? nil : missed
  }
}
