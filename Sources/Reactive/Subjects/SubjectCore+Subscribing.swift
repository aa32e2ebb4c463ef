import Synchronization

/// Subscribing: at once, or after catching up with the record.
extension SubjectCore {
  @inlinable
  func add(_ observer: Observer<Value>, _ subscription: CompoundDisposable) {
    guard !subscription.isDisposed else { return }
    add(SubjectObserver(observer, .passUnretained(self)), subscription)
  }

  @inlinable
  func add(_ node: Sink, _ subscription: CompoundDisposable) {
    subscription.add(node: node)
    join(node)
  }

  @inlinable
  func join(_ node: Sink) {
    if isReplaying {
      if !joinAtStart(node) { replay(to: node) }
    } else if gate.acquire() {
      let termination = termination
      if termination == nil { append(node) }
      if !gate.release() { drainInRoom() }
      if let termination, !node.isDisposed { node.end(termination) }
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
    if isAtStart {
      append(node)
      node.forgetIfGone()
    }
    if !gate.release() { drainInRoom() }
    return isAtStart
  }

  /// Sends the record on this thread; the owner delivers events that arrive meanwhile.
  @inlinable
  func replay(to node: Sink) {
    let (past, end) = withLock { beginCatchingUp(node) }
    if let value = past.value {
      if !node.isDisposed { node.next(value) }
    } else if let record = past.record {
      node.replay(record)
    }
    if let end {
      if !node.isDisposed { node.end(end) }
      node.forgetIfGone()
    } else {
      submit(.join(node))
    }
  }

  /// Returns what a subscriber receives first; called under the lock.
  @inlinable
  func beginCatchingUp(_ node: Sink) -> (Past, Termination?) {
    if hasEnded.load(ordering: .acquiring) { return (past, termination) }
    let isRecorded = hasRecord.load(ordering: .acquiring)
    // Without a record it catches up when it joins.
    if isRecorded || capacity == 0 { needBacklog().catchingUp.append(CatchUp(node)) }
    return (isRecorded ? past : Past(value: nil, record: nil), nil)
  }

  /// The whole record, for a subscriber that came before its first value could be seen; called by
  /// the owner under the lock.
  @inlinable
  func catchUp(fromStart node: Sink) -> CatchUp? {
    guard isReplaying, !isRecordEmpty else { return nil }
    var catchUp = CatchUp(node)
    let past = past
    if let value = past.value { catchUp.missed.append(.value(value)) }
    past.record?.forEachPiece(while: { true }) { catchUp.missed.append($0) }
    return catchUp
  }
}
