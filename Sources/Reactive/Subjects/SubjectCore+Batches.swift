/// Sending of several values at once.
extension SubjectCore {
  /// Sends several values, in one call if all subscribers accept batches.
  @usableFromInline
  func sendNext(_ batch: Batch<Value>) {
    let depth = SendDepth.current
    guard depth.hasRoom && gate.acquire() else { return batch.forEach(sendNext) }
    let isOutermost = depth.enter()
    let isWhole = takesBatches
    if isWhole, batch.count > 0 ? record(batch) : termination == nil { deliver(batch) }
    if !gate.release() { carryOut() }
    depth.leave(asOutermost: isOutermost)
    // Sent value by value, so that all subscribers see the values in one order with all other
    // events.
    if !isWhole { batch.forEach(sendNext) }
  }

  private var takesBatches: Bool {
    if let only { return Self.takesBatches(only) }
    return nodes.allSatisfy { $0.map(Self.takesBatches) ?? true }
  }

  private static func takesBatches(_ node: Unmanaged<SubjectNode>) -> Bool {
    node._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Sink.self).observer?.batch != nil }
  }

  /// Puts a batch into the record; called by the owner. False if the stream has ended.
  private func record(_ batch: Batch<Value>) -> Bool {
    guard termination == nil else { return false }
    guard isReplaying else { return true }
    _ = withLock {
      if let backlog { batch.forEach { value in backlog.add(.next(value)) } }
      return capacity > 0 ? (recording ?? spread()).buffer.append(batch) : nil
    }
    return true
  }

  private func deliver(_ batch: Batch<Value>) {
    let send = { (node: Unmanaged<SubjectNode>) in
      node._withUnsafeGuaranteedRef { node in
        if !node.isDisposed { unsafeDowncast(node, to: Sink.self).observer?.batch?(batch) }
      }
    }
    if let only { return send(only) }
    for case let node? in nodes { send(node) }
  }
}
