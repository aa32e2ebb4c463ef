/// Sending of several values at once.
extension SubjectCore {
  /// Sends several values, in one call if all subscribers accept batches; a batch of one value as it
  /// is to each that does.
  @usableFromInline
  func sendNext(_ batch: Batch<Value>) {
    let depth = SendDepth.current
    guard depth.hasRoom && gate.acquire() else {
      return batch.count > 1 ? batch.forEach(sendNext) : submit(.batch(batch))
    }
    let isOutermost = depth.enter()
    let isWhole = batch.count <= 1 || takesBatches
    if isWhole, termination == nil {
      if isReplaying { _ = withLock { keep(batch) } }
      deliver(batch)
    }
    if !gate.release() { carryOut() }
    depth.leave(asOutermost: isOutermost)
    // Sent value by value, so that all subscribers see the values in one order with all other
    // events.
    if !isWhole { batch.forEach(sendNext) }
  }

  /// True if its record counts values, not what they weigh: all of them, or none, or the latest.
  var recordsAnyWeight: Bool { !isReplaying || capacity == .max || capacity <= 1 }

  private var takesBatches: Bool {
    if let only { return Self.takesBatches(only) }
    return nodes.allSatisfy { $0.map(Self.takesBatches) ?? true }
  }

  private static func takesBatches(_ node: Unmanaged<SubjectNode>) -> Bool {
    node._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Sink.self).observer?.batch != nil }
  }

  /// Puts a batch into the record, unless it is a mere notice; called by the owner under the lock.
  ///
  /// - Returns: the values evicted from the record, to be released outside the lock.
  @usableFromInline
  func keep(_ batch: Batch<Value>) -> ReplayBuffer<Value>.Evicted? {
    guard isReplaying, batch.count > 0 else { return nil }
    backlog?.add(.batch(batch))
    return capacity > 0 ? (recording ?? spread()).buffer.append(batch) : nil
  }

  @usableFromInline
  func deliver(_ batch: Batch<Value>) {
    let send = { (node: Unmanaged<SubjectNode>) in
      node._withUnsafeGuaranteedRef { node in
        if !node.isDisposed { unsafeDowncast(node, to: Sink.self).receive(batch) }
      }
    }
    if let only { return send(only) }
    for case let node? in nodes { send(node) }
  }
}

extension Subject {
  /// Sends several values at once; nil if they count one by one in its record. Notices are not for
  /// the subscribers of this moment alone, so they end here.
  var sendBatch: (@Sendable (Batch<Value>) -> Void)? {
    guard core.recordsAnyWeight else { return nil }
    return { [core] batch in
      if batch.count > 0 { core.sendNext(batch) } else { batch.forEach { _ in } }
    }
  }
}
