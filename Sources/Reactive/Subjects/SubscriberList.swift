/// The live subscribers of a subject, and who may touch them: the owner.
///
/// It knows nothing of values: generic code that is not specialised pays dearly for each list it
/// handles, and nodes leave from code that does not know them either.
@usableFromInline
class SubscriberList: PostponedDelivery, @unchecked Sendable {
  // Unchecked: `nodes` and `live` belong to the owner.

  @usableFromInline final let gate = DeliveryGate()

  /// The one node of most subjects, which needs no list; the list is empty then.
  @exclusivity(unchecked)
  @usableFromInline final var only: Unmanaged<SubjectNode>?
  /// In order of subscription, each retained by hand so that a delivery costs no reference counting.
  /// A hole is left where a node went.
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

  /// The owner carries out what others left, in order, until nothing is left, and lets go.
  @usableFromInline
  func drain() {
    preconditionFailure("a subject's core drains")
  }

  /// Leaves word that nodes are to be swept; true if the caller has become the owner.
  @usableFromInline
  func leaveDisposedNode() -> Bool {
    preconditionFailure("a subject's core takes what is left")
  }

  // MARK: The gate

  /// The owner carries out what was left, or leaves it to the outermost send of the thread.
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
    // One disposed before it came in was not found by `remove`.
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
    // Disposed in between, it may have looked for itself in vain.
    if node.isDisposed { detach(node)?.release() }
  }

  /// Leaves a hole at the node's place; the caller releases what is returned when it owns nothing.
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

  /// Closes the holes once they are the greater part, which keeps leaving at constant time.
  private func compactIfSparse() {
    guard live * 2 < nodes.count else { return }
    nodes.removeAll { $0 == nil }
    for (index, node) in nodes.enumerated() {
      node?._withUnsafeGuaranteedRef { $0.index = index }
    }
  }

  /// Takes the disposed nodes out; they are released by whoever lets go of the result.
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

  /// Takes all nodes out; `end` ends each that nobody has disposed.
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
      // Closed first: what it does at the end need not look for its place.
      if node.close() { end(node) }
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
      held?.release()
    } else if leaveDisposedNode() {
      drainInRoom()
    }
  }
}
