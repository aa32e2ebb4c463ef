import Synchronization

/// The delivery machine shared by all subjects: one order for all subscribers, no lock while user
/// code runs, and a first send that costs two compare-and-swaps.
///
/// `phase` says who may touch the list of live nodes:
///
/// ```
/// idle ──CAS──▶ owned ──CAS──▶ idle            nobody else came
///                 │ somebody came: operation queued under the lock
///                 ▼
///              contended ──queue drained, under the lock──▶ idle
/// ```
///
/// The owner delivers, adds and removes. Whoever comes while the core is owned, re-entrantly or from
/// another thread, leaves an operation in `waiting`, and the owner carries it out in order before it
/// lets go. A late subscriber of a replaying subject receives the record on its own thread meanwhile:
/// it is *catching up*, with a backlog of its own, until it has seen everything and joins.
@usableFromInline
final class SubjectCore<Value: Sendable>: PostponedDelivery, @unchecked Sendable {
  // Unchecked: `nodes`, `live` and `termination` belong to the owner of `phase`.
  typealias Node = SubjectNode<Value>
  @usableFromInline
  typealias ReplayRecord = @Sendable (ReplayBuffer<Value>.Snapshot, SubjectNode<Value>) -> Void

  @usableFromInline enum Phase {
    @usableFromInline static var idle: UInt8 { 0 }
    @usableFromInline static var owned: UInt8 { 1 }
    @usableFromInline static var contended: UInt8 { 2 }
  }

  enum Operation {
    case next(Value)
    case end(Termination)
    case join(Node)
  }

  /// A node that is receiving the record, and what came in the meantime.
  struct CatchUp {
    let node: Node
    var backlog: [Event<Value>] = []
  }

  /// What is shared with those who come while the core is owned, and the record.
  struct Waiting {
    var operations = Queue<Operation>()
    /// Nodes that have caught up and come before the next operation.
    var caughtUp: [Node] = []
    var catchingUp: [CatchUp] = []
    var hasDisposedNodes = false
    var record: ReplayBuffer<Value>?
    var termination: Termination?

    mutating func addToBacklogs(_ event: Event<Value>) {
      for index in catchingUp.indices { catchingUp[index].backlog.append(event) }
    }

    mutating func takeBacklog(of node: Node) -> [Event<Value>] {
      guard let index = catchingUp.firstIndex(where: { $0.node === node }) else { return [] }
      defer { catchingUp[index].backlog = [] }
      return catchingUp[index].backlog
    }
  }

  @usableFromInline let phase = Atomic<UInt8>(Phase.idle)
  private let waiting: Mutex<Waiting>
  /// Sends a late subscriber the record; nil if there is none. A closure, since it is made where the
  /// type of the values is known and their calls can be specialised.
  @usableFromInline let replayRecord: ReplayRecord?

  /// Live nodes in order of subscription, each retained by hand so that a delivery costs no
  /// reference counting. A hole is left where a node went.
  @exclusivity(unchecked)
  @usableFromInline var nodes: ContiguousArray<Unmanaged<SubjectNode<Value>>?> = []
  @exclusivity(unchecked)
  private var live = 0
  @exclusivity(unchecked)
  private var termination: Termination?

  @usableFromInline
  init(record: ReplayBuffer<Value>? = nil, _ replayRecord: ReplayRecord? = nil) {
    self.replayRecord = replayRecord
    var initial = Waiting()
    initial.record = record
    waiting = Mutex(initial)
  }

  /// A core that keeps a record, from then on, and replays it.
  @inlinable
  static func replaying(_ record: ReplayBuffer<Value>) -> SubjectCore {
    SubjectCore(record: record) { record, node in
      let next = node.observer.next
      record.forEach(while: { !node.isDisposed }, next)
    }
  }

  @inlinable
  var isReplaying: Bool { replayRecord != nil }

  deinit {
    for node in nodes { node?.release() }
  }

  // MARK: Sending

  @inlinable
  func sendNext(_ value: Value) {
    let depth = SendDepth.current
    if !isReplaying && depth.hasRoom && acquire() {
      let isOutermost = depth.enter()
      deliver(value)
      release()
      depth.leave(asOutermost: isOutermost)
    } else {
      enqueue(value)
    }
  }

  func send(_ termination: Termination) {
    submit(.end(termination))
  }

  @usableFromInline
  @inline(never)
  func enqueue(_ value: Value) {
    submit(.next(value))
  }

  private func submit(_ operation: Operation) {
    let owns = waiting.withLock { waiting in
      waiting.operations.append(operation)
      return acquireOrContend()
    }
    if owns { drainInRoom() }
  }

  /// The owner carries out what is waiting, or leaves it to the outermost send of the thread.
  private func drainInRoom() {
    let depth = SendDepth.current
    guard depth.hasRoom else { return depth.postpone(self) }
    let isOutermost = depth.enter()
    drain()
    depth.leave(asOutermost: isOutermost)
  }

  @inlinable
  func acquire() -> Bool {
    phase.compareExchange(
      expected: Phase.idle, desired: Phase.owned, ordering: .acquiring
    ).exchanged
  }

  @inlinable
  func release() {
    let (released, _) = phase.compareExchange(
      expected: Phase.owned, desired: Phase.idle, ordering: .releasing)
    if !released { drain() }
  }

  /// Under the lock: becomes the owner of a free core, or makes sure that the owner looks into
  /// `waiting` before it lets go.
  private func acquireOrContend() -> Bool {
    while true {
      switch phase.load(ordering: .acquiring) {
      case Phase.idle: if acquire() { return true }
      case Phase.owned:
        let (marked, _) = phase.compareExchange(
          expected: Phase.owned, desired: Phase.contended, ordering: .relaxed)
        if marked { return false }
      default: return false
      }
    }
  }

  /// What the owner does next, decided under the lock and carried out after it.
  private enum Step {
    case deliver(Value)
    case end(Termination)
    case tellEnd(Node, Termination)
    case again
    case done
  }

  /// The owner carries out what others left, in order, until nothing is left, and lets go.
  @usableFromInline
  @inline(never)
  func drain() {
    while true {
      var garbage: [Node] = []
      let step = waiting.withLock { nextStep(&$0, garbage: &garbage) }
      garbage.removeAll()
      switch step {
      case .deliver(let value): deliver(value)
      case .end(let termination): end(termination)
      case .tellEnd(let node, let termination): node.observer.end(termination)
      case .again: continue
      case .done: return
      }
    }
  }

  private func nextStep(_ waiting: inout Waiting, garbage: inout [Node]) -> Step {
    if waiting.hasDisposedNodes {
      waiting.hasDisposedNodes = false
      sweep(into: &garbage)
    }
    if !waiting.caughtUp.isEmpty {
      for node in waiting.caughtUp { append(node) }
      waiting.caughtUp = []
    }
    guard let operation = waiting.operations.popFirst() else {
      phase.store(Phase.idle, ordering: .releasing)
      return .done
    }
    switch operation {
    case .next(let value):
      guard termination == nil else { return .again }
      waiting.record?.append(value)
      waiting.addToBacklogs(.next(value))
      return .deliver(value)
    case .end(let end):
      guard termination == nil else { return .again }
      termination = end
      waiting.termination = end
      waiting.addToBacklogs(Event(end))
      return .end(end)
    case .join(let node):
      if let termination { return node.isDisposed ? .again : .tellEnd(node, termination) }
      append(node)
      return .again
    }
  }

  @inlinable
  func deliver(_ value: Value) {
    nodes.withUnsafeBufferPointer { nodes in
      for node in nodes {
        node?._withUnsafeGuaranteedRef { node in
          if !node.isDisposed { node.observer.next(value) }
        }
      }
    }
  }

  private func end(_ termination: Termination) {
    let ended = nodes
    nodes = []
    live = 0
    for node in ended {
      guard let node = node?.takeRetainedValue() else { continue }
      node.index = -1
      if !node.isDisposed { node.observer.end(termination) }
    }
  }

  // MARK: Subscribing

  @usableFromInline
  func add(_ observer: Observer<Value>, _ subscription: CompoundDisposable) {
    guard !subscription.isDisposed else { return }
    let node = Node(observer, core: self)
    subscription.add(node)
    if isReplaying {
      replay(to: node)
    } else if acquire() {
      if let termination {
        release()
        if !node.isDisposed { observer.end(termination) }
      } else {
        append(node)
        release()
      }
    } else {
      submit(.join(node))
    }
  }

  private func replay(to node: Node) {
    let (record, termination) = waiting.withLock { waiting in
      if waiting.termination == nil { waiting.catchingUp.append(CatchUp(node: node)) }
      return (waiting.record?.snapshot(), waiting.termination)
    }
    if let record, let replayRecord { replayRecord(record, node) }
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
  private func missedEvents(of node: Node) -> [Event<Value>]? {
    var owns = false
    let missed = waiting.withLock { waiting -> [Event<Value>] in
      let missed = waiting.takeBacklog(of: node)
      if missed.isEmpty || node.isDisposed {
        waiting.catchingUp.removeAll { $0.node === node }
        if !node.isDisposed && waiting.termination == nil {
          waiting.caughtUp.append(node)
          owns = acquireOrContend()
        }
        return []
      }
      return missed
    }
    if owns { drainInRoom() }
    return missed.isEmpty ? nil : missed
  }

  // MARK: The list of nodes, for the owner

  private func append(_ node: Node) {
    // One disposed before it came in was not found by `remove`.
    guard !node.isDisposed else { return }
    node.index = nodes.count
    nodes.append(.passRetained(node))
    live += 1
    // Disposed in between, it may have looked for itself in vain.
    if node.isDisposed { detach(node)?.release() }
  }

  /// Leaves a hole at the node's place; the caller releases what is returned when it owns nothing.
  private func detach(_ node: Node) -> Unmanaged<Node>? {
    guard node.index >= 0 else { return nil }
    let held = nodes[node.index]
    nodes[node.index] = nil
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

  private func sweep(into garbage: inout [Node]) {
    for slot in nodes {
      guard let node = slot?.takeUnretainedValue(), node.isDisposed else { continue }
      if let held = detach(node) { garbage.append(held.takeRetainedValue()) }
    }
    compactIfSparse()
  }

  func remove(_ node: Node) {
    if acquire() {
      let held = detach(node)
      compactIfSparse()
      release()
      held?.release()
    } else {
      let owns = waiting.withLock { waiting in
        waiting.hasDisposedNodes = true
        return acquireOrContend()
      }
      if owns { drainInRoom() }
    }
  }
}
