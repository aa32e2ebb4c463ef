/// The live subscribers of a subject; only the owner may touch them.
///
/// It does not depend on the type of values: generic code that is not specialised is expensive for
/// each list it handles, and nodes are removed by code that does not know the type either.
@usableFromInline
class SubscriberList: PostponedDelivery, @unchecked Sendable {
  // Unchecked: the owner owns `nodes` and `live`.

  @usableFromInline final let gate = DeliveryGate()

  /// The only node of most subjects, which need no list; the list is empty then.
  @exclusivity(unchecked)
  @usableFromInline final var only: Unmanaged<SubjectNode>?
  /// The nodes in order of subscription, each retained manually so that a delivery costs no
  /// reference counting. A removed node leaves a hole.
  @exclusivity(unchecked)
  @usableFromInline final var nodes: ContiguousArray<Unmanaged<SubjectNode>?> = []
  @exclusivity(unchecked)
  @usableFromInline final var live = 0

  @inlinable
  init() {}

  deinit {
    only?.release()
    if !nodes.isEmpty { for node in nodes { node?.release() } }
  }

  // MARK: For subclasses

  /// Carries out queued operations, in order, until none is left, and releases the list; called by
  /// the owner.
  @usableFromInline
  func drain() {
    preconditionFailure("a subject's core drains")
  }

  /// Notes that nodes have to be swept; true if the caller has become the owner.
  @usableFromInline
  func leaveDisposedNode() -> Bool {
    preconditionFailure("a subject's core takes what is left")
  }

  // MARK: The gate

  /// Carries out queued operations, or leaves them to the thread's outermost send; called by the
  /// owner.
  @usableFromInline
  @inline(never)
  final func drainInRoom() {
    let depth = SendDepth.current
    guard depth.hasRoom else { return depth.postpone(self) }
    let isOutermost = depth.enter()
    drain()
    depth.leave(asOutermost: isOutermost)
  }

  // MARK: The list of nodes, for the owner

  @usableFromInline
  final func append(_ node: SubjectNode) {
    // `remove` did not find a node that was disposed before it was added.
    guard !node.isDisposed else { return }
    if live == 0 && nodes.isEmpty {
      node.index = 0
      only = .passRetained(node)
    } else {
      if let only {
        nodes.append(only)
        self.only = nil
      }
      node.index = nodes.count
      nodes.append(.passRetained(node))
    }
    live += 1
    // If the node was disposed in between, it may have failed to find itself.
    if node.isDisposed { detach(node)?.release() }
  }

  /// Leaves a hole at the node's place; the caller releases the result when it owns nothing.
  private func detach(_ node: SubjectNode) -> Unmanaged<SubjectNode>? {
    guard node.index >= 0 else { return nil }
    let held: Unmanaged<SubjectNode>?
    if only != nil {
      held = only
      only = nil
    } else {
      held = nodes[node.index]
      nodes[node.index] = nil
    }
    node.index = -1
    live -= 1
    return held
  }

  /// Closes the holes once more than half of the places are holes, which keeps removal at constant
  /// time.
  private func compactIfSparse() {
    guard live * 2 < nodes.count else { return }
    nodes.removeAll { $0 == nil }
    for (index, node) in nodes.enumerated() {
      node?._withUnsafeGuaranteedRef { $0.index = index }
    }
  }

  /// Removes the disposed nodes; releasing the result releases them.
  @usableFromInline
  final func sweep() -> [SubjectNode] {
    var garbage: [SubjectNode] = []
    func sweep(_ slot: Unmanaged<SubjectNode>?) {
      guard let node = slot?.takeUnretainedValue(), node.isDisposed else { return }
      if let held = detach(node) { garbage.append(held.takeRetainedValue()) }
    }
    sweep(only)
    for slot in nodes { sweep(slot) }
    compactIfSparse()
    return garbage
  }

  /// Removes all nodes; `end` ends each node that was not disposed.
  @inlinable
  final func takeNodes(_ end: (SubjectNode) -> Void) {
    let only = only
    let nodes = nodes
    self.only = nil
    self.nodes = []
    live = 0
    func take(_ slot: Unmanaged<SubjectNode>?) {
      guard let node = slot?.takeRetainedValue() else { return }
      node.index = -1
      // Closed first, so that code run at the end need not look for its place.
      if node.closeForEnd() { end(node) } else { node.forgetIfGone() }
    }
    take(only)
    for node in nodes { take(node) }
  }

  @usableFromInline
  final func remove(_ node: SubjectNode) {
    if gate.acquire() {
      let held = detach(node)
      compactIfSparse()
      if !gate.release() { drainInRoom() }
      if held != nil { node.forgetIfGone() }
      held?.release()
    } else if leaveDisposedNode() {
      drainInRoom()
    }
  }
}
