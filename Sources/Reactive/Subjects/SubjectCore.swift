import Synchronization

/// The delivery machine shared by all subjects: one order for all subscribers, no lock while user
/// code runs, and a first send that costs two compare-and-swaps, plus one lock with a record that is
/// not empty.
///
/// The owner of the list delivers, adds and removes. Callers that find it owned, re-entrantly or
/// from another thread, queue an operation in the backlog, and the owner carries it out in order
/// before it releases the list. A late subscriber of a replaying subject meanwhile receives the
/// record on its own thread: it is *catching up*. Events that arrive during that time are kept for
/// it, until the owner delivers them and lets it join.
///
/// Releasing an object may run user code, so objects to be released leave every critical section as
/// part of its result.
@usableFromInline
final class SubjectCore<Value: Sendable>: SubscriberList, @unchecked Sendable {
  // Unchecked: `lock` guards `backlog` and `upstream`. The owner of the list alone writes the record
  // and `termination`; it may read them without the lock. Others read them under the lock, once
  // `hasRecord` and `hasEnded` are true; the owner writes under the lock what they may be reading.
  @usableFromInline typealias Sink = SubjectSink<Value>

  @usableFromInline
  enum Operation: Sendable {
    case next(Value)
    /// A batch of at most one value.
    case batch(Batch<Value>)
    case end(Termination)
    case join(Sink)
  }

  /// A node that is receiving the record, and the events it has missed meanwhile.
  @usableFromInline
  struct CatchUp: Sendable {
    @usableFromInline let node: Sink
    @usableFromInline var missed: [Piece<Value>] = []

    @inlinable
    init(_ node: Sink) {
      self.node = node
    }

    @inlinable
    func deliver() {
      for piece in missed where !node.isDisposed { node.receive(piece) }
    }
  }

  /// The operations that wait for the owner; guarded by the lock.
  @usableFromInline
  final class Backlog {
    @usableFromInline var operations = Queue<Operation>()
    @usableFromInline var catchingUp: [CatchUp] = []
    @usableFromInline var hasDisposedNodes = false

    @inlinable
    init() {}

    @inlinable
    func add(_ piece: @autoclosure () -> Piece<Value>) {
      if catchingUp.isEmpty { return }
      let piece = piece()
      for index in catchingUp.indices { catchingUp[index].missed.append(piece) }
    }

    /// Removes a node that has caught up or never will.
    @inlinable
    func finish(_ node: Sink) -> CatchUp? {
      catchingUp.firstIndex { $0.node === node }.map { catchingUp.remove(at: $0) }
    }
  }

  // Beside their lock, not in it, and one by one: a mutex or a structure of a generic type looks up
  // that type whenever it is made and destroyed, which costs more than everything else in the life of
  // a short-lived subject.
  @usableFromInline let lock = Mutex(())
  /// The room for `single`, and how to destroy what is there; nil without a value.
  @exclusivity(unchecked)
  @usableFromInline var room: Room = (0, 0, 0)
  @exclusivity(unchecked)
  @usableFromInline var destroySingle: (@Sendable (UnsafeMutableRawPointer) -> Void)?
  /// The record, once it has had several values.
  @exclusivity(unchecked)
  @usableFromInline var recording: Recording?
  /// The number of latest values kept; 0 without a record.
  @usableFromInline let capacity: Int
  /// Created by the first caller that has to wait; most subjects have none.
  @exclusivity(unchecked)
  @usableFromInline var backlog: Backlog?
  /// The subscriptions that forward signals to the subject; nil if there were none.
  @exclusivity(unchecked)
  @usableFromInline var upstream: Upstream?
  @exclusivity(unchecked)
  @usableFromInline var termination: Termination?
  @usableFromInline let isReplaying: Bool
  /// True once there is a past value.
  @usableFromInline let hasRecord = Atomic<Bool>(false)
  /// True if signals may be forwarded to it.
  @usableFromInline let takesUpstream: Bool
  /// True once a terminal event was accepted; for callers that do not need the event itself.
  @usableFromInline let hasEnded = Atomic<Bool>(false)

  /// A core without a record.
  @inlinable
  override init() {
    isReplaying = false
    capacity = 0
    takesUpstream = true
    super.init()
  }

  /// A core with a record.
  ///
  /// - Parameters:
  ///   - capacity: the number of latest values kept; nil for all.
  ///   - initial: the first value of the record.
  ///   - takesUpstream: false if no signal is forwarded to it by `add(upstream:)`.
  @inlinable
  init(capacity: Int?, initial: Value? = nil, takesUpstream: Bool = true) {
    precondition(capacity ?? 0 >= 0, "a replay capacity cannot be negative")
    isReplaying = true
    self.capacity = capacity ?? .max
    self.takesUpstream = takesUpstream
    super.init()
    if let initial {
      keepSingle(initial)
      hasRecord.store(true, ordering: .relaxed)
    }
  }

  deinit {
    removeSingle()
  }

  @inlinable
  func withLock<Result: Sendable>(_ body: () -> Result) -> Result {
    lock.withLock { _ in body() }
  }

  /// Returns the existing backlog, or a new one; called under the lock.
  @inlinable
  func needBacklog() -> Backlog {
    if let backlog { return backlog }
    let new = Backlog()
    backlog = new
    return new
  }

  // MARK: Sending

  @inlinable
  func sendNext(_ value: Value) {
    let depth = SendDepth.current
    guard depth.hasRoom && gate.acquire() else { return submit(.next(value)) }
    let isOutermost = depth.enter()
    if !isReplaying || record(value) { deliver(value) }
    if !gate.release() { carryOut() }
    depth.leave(asOutermost: isOutermost)
  }

  @inlinable
  func send(_ termination: Termination) {
    let depth = SendDepth.current
    guard depth.hasRoom && gate.acquire() else { return submit(.end(termination)) }
    let isOutermost = depth.enter()
    if self.termination == nil {
      end(termination, takesUpstream ? withLock { accept(termination) } : accept(termination))
    }
    if !gate.release() { carryOut() }
    depth.leave(asOutermost: isOutermost)
  }

  /// Accepts the first terminal event; called by the owner, under the lock if there may be an
  /// upstream.
  ///
  /// - Returns: the subscriptions that the end disposes.
  @inlinable
  func accept(_ end: Termination) -> Upstream? {
    termination = end
    hasEnded.store(true, ordering: .releasing)
    return takesUpstream ? upstream.take() : nil
  }

  @inlinable
  func submit(_ operation: Operation) {
    let owns = withLock {
      needBacklog().operations.append(operation)
      return gate.acquireOrContend()
    }
    if owns { drainInRoom() }
  }

  /// The owner's next step, decided under the lock and carried out after it, with the objects it
  /// releases.
  @usableFromInline
  enum Step: Sendable {
    case deliver(Value)
    case deliverBatch(Batch<Value>)
    case end(Termination, Upstream?)
    case tellEnd(Sink, Termination)
    case catchUp(CatchUp, Termination?)
    case release(Operation)
    case sweep([SubjectNode])
    case done
  }

  override func drain() {
    carryOut()
  }

  /// Carries out queued operations, in order, until none is left, and releases the list; called by
  /// the owner.
  @inlinable
  @inline(never)
  func carryOut() {
    var stretch = Stretch()
    while true {
      switch stretch.step() {
      case .goOn: break
      case .pause(let pause): return pause.end { self.drainInRoom() }
      case .fail(let error):
        if termination == nil { end(.error(error), withLock { accept(.error(error)) }) }
      }
      var evicted: ReplayBuffer<Value>.Evicted?
      let step = withLock { nextStep(&evicted) }
      evicted = nil
      switch step {
      case .deliver(let value): deliver(value)
      case .deliverBatch(let batch): deliver(batch)
      case .end(let termination, let upstream): end(termination, upstream)
      case .tellEnd(let node, let termination): node.end(termination)
      case .catchUp(let catchUp, let termination):
        catchUp.deliver()
        if let termination, !catchUp.node.isDisposed { catchUp.node.end(termination) }
        catchUp.node.forgetIfGone()
      case .release(.join(let node)): node.forgetIfGone()
      case .release: continue
      case .sweep(let nodes): for node in nodes { node.forgetIfGone() }
      case .done: return
      }
    }
  }

  @inlinable
  func nextStep(_ evicted: inout ReplayBuffer<Value>.Evicted?) -> Step {
    if let backlog, backlog.hasDisposedNodes {
      backlog.hasDisposedNodes = false
      return .sweep(sweep())
    }
    guard let operation = backlog?.operations.popFirst() else {
      gate.releaseDrained()
      return .done
    }
    switch operation {
    case .next(let value):
      guard termination == nil else { return .release(operation) }
      evicted = keep(value)
      return .deliver(value)
    case .batch(let batch):
      guard termination == nil else { return .release(operation) }
      evicted = keep(batch)
      return .deliverBatch(batch)
    case .end(let end):
      guard termination == nil else { return .release(operation) }
      return .end(end, accept(end))
    case .join(let node):
      let catchUp = backlog?.finish(node) ?? catchUp(fromStart: node)
      if termination == nil { append(node) }
      if let catchUp { return .catchUp(catchUp, termination) }
      guard let termination, !node.isDisposed else { return .release(operation) }
      return .tellEnd(node, termination)
    }
  }

  @inlinable
  func deliver(_ value: Value) {
    if let only { return Self.send(value, to: only) }
    nodes.withUnsafeBufferPointer { nodes in
      for node in nodes {
        if let node { Self.send(value, to: node) }
      }
    }
  }

  @inlinable
  static func send(_ value: Value, to node: Unmanaged<SubjectNode>) {
    node._withUnsafeGuaranteedRef { node in
      if !node.isDisposed { unsafeDowncast(node, to: Sink.self).next(value) }
    }
  }

  @inlinable
  func end(_ termination: Termination, _ upstream: Upstream?) {
    // RAC's order: the upstream is torn down before the end is delivered.
    upstream?.dispose()
    takeNodes { unsafeDowncast($0, to: Sink.self).end(termination) }
  }

  override func leaveDisposedNode() -> Bool {
    withLock {
      needBacklog().hasDisposedNodes = true
      return gate.acquireOrContend()
    }
  }
}
