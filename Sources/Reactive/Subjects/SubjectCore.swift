import Synchronization

/// The delivery machine shared by all subjects: one order for all subscribers, no lock while user
/// code runs, and a first send that costs two compare-and-swaps, with a record one lock more.
///
/// The owner of the list delivers, adds and removes. Whoever comes while it is owned, re-entrantly
/// or from another thread, leaves an operation in `waiting`, and the owner carries it out in order
/// before it lets go. A late subscriber of a replaying subject receives the record on its own thread
/// meanwhile: it is *catching up*. What comes while it does is kept for it, until the owner delivers
/// that and lets it join.
///
/// Whatever is released runs user code, so it leaves every critical section as part of its result.
@usableFromInline
final class SubjectCore<Value: Sendable>: SubscriberList, @unchecked Sendable {
  // Unchecked: `termination` belongs to the owner of the list.
  @usableFromInline typealias Sink = SubjectSink<Value>

  @usableFromInline
  enum Operation: Sendable {
    case next(Value)
    case end(Termination)
    case join(Sink)
  }

  /// A node that is receiving the record, and what came in the meantime.
  @usableFromInline
  struct CatchUp: Sendable {
    @usableFromInline let node: Sink
    @usableFromInline var missed: [Event<Value>] = []

    @inlinable
    init(_ node: Sink) {
      self.node = node
    }

    @inlinable
    func deliver() {
      for event in missed where !node.isDisposed { node.observer.send(event) }
    }
  }

  /// What is shared with those who come while the core is owned, and the record.
  @usableFromInline
  struct Waiting {
    @usableFromInline var record: ReplayBuffer<Value>?
    @usableFromInline var termination: Termination?
    /// Made by the first who has to wait; most subjects have none.
    @usableFromInline var backlog: Backlog?
    /// The subscriptions that forward signals to the subject.
    @usableFromInline var upstream = Upstream()

    @inlinable
    init(record: ReplayBuffer<Value>?) {
      self.record = record
    }

    /// The one there is, or a new one.
    @inlinable
    mutating func needBacklog() -> Backlog {
      if let backlog { return backlog }
      let new = Backlog()
      backlog = new
      return new
    }
  }

  /// What waits for the owner, guarded by the mutex it is reached through.
  @usableFromInline
  final class Backlog: @unchecked Sendable {
    @usableFromInline var operations = Queue<Operation>()
    @usableFromInline var catchingUp: [CatchUp] = []
    @usableFromInline var hasDisposedNodes = false

    @inlinable
    init() {}

    @inlinable
    func add(_ event: @autoclosure () -> Event<Value>) {
      if catchingUp.isEmpty { return }
      let event = event()
      for index in catchingUp.indices { catchingUp[index].missed.append(event) }
    }

    /// A node has caught up, or never will.
    @inlinable
    func finish(_ node: Sink) -> CatchUp? {
      catchingUp.firstIndex { $0.node === node }.map { catchingUp.remove(at: $0) }
    }
  }

  @usableFromInline let waiting: Mutex<Waiting>
  @usableFromInline let isReplaying: Bool
  /// Whether a terminal event has been accepted, for those who need not know which.
  @usableFromInline let hasEnded = Atomic<Bool>(false)
  @exclusivity(unchecked)
  @usableFromInline var termination: Termination?

  @inlinable
  init(record: ReplayBuffer<Value>? = nil) {
    isReplaying = record != nil
    waiting = Mutex(Waiting(record: record))
    super.init()
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
    if accept(termination) { end(termination) }
    if !gate.release() { carryOut() }
    depth.leave(asOutermost: isOutermost)
  }

  /// The owner puts a value into the record. False if the stream has ended.
  @inlinable
  func record(_ value: Value) -> Bool {
    guard termination == nil else { return false }
    _ = waiting.withLock { record(value, &$0) }
    return true
  }

  @inlinable
  func record(_ value: Value, _ waiting: inout Waiting) -> ReplayBuffer<Value>.Evicted? {
    waiting.backlog?.add(.next(value))
    return waiting.record?.append(value) ?? nil
  }

  /// The owner takes a terminal event. False if there has been one.
  @inlinable
  func accept(_ end: Termination) -> Bool {
    guard termination == nil else { return false }
    waiting.withLock { accept(end, &$0) }
    return true
  }

  @inlinable
  func accept(_ end: Termination, _ waiting: inout Waiting) {
    termination = end
    waiting.termination = end
    waiting.backlog?.add(Event(end))
    hasEnded.store(true, ordering: .releasing)
  }

  @inlinable
  func submit(_ operation: Operation) {
    let owns = waiting.withLock { waiting in
      waiting.needBacklog().operations.append(operation)
      return gate.acquireOrContend()
    }
    if owns { drainInRoom() }
  }

  /// What the owner does next, decided under the lock and carried out after it, and what it releases.
  @usableFromInline
  enum Step: Sendable {
    case deliver(Value)
    case end(Termination)
    case tellEnd(Sink, Termination)
    case catchUp(CatchUp)
    case release(Operation)
    case sweep([SubjectNode])
    case done
  }

  override func drain() {
    carryOut()
  }

  /// The owner carries out what others left, in order, until nothing is left, and lets go.
  @inlinable
  @inline(never)
  func carryOut() {
    var stretch = Stretch()
    while true {
      switch stretch.step() {
      case .goOn: break
      case .pause(let pause): return pause.end { self.drainInRoom() }
      case .fail(let error): if accept(.error(error)) { end(.error(error)) }
      }
      var evicted: ReplayBuffer<Value>.Evicted?
      let step = waiting.withLock { nextStep(&$0, &evicted) }
      evicted = nil
      switch step {
      case .deliver(let value): deliver(value)
      case .end(let termination): end(termination)
      case .tellEnd(let node, let termination): node.observer.end(termination)
      case .catchUp(let catchUp): catchUp.deliver()
      case .release, .sweep: continue
      case .done: return
      }
    }
  }

  @inlinable
  func nextStep(
    _ waiting: inout Waiting, _ evicted: inout ReplayBuffer<Value>.Evicted?
  ) -> Step {
    if let backlog = waiting.backlog, backlog.hasDisposedNodes {
      backlog.hasDisposedNodes = false
      return .sweep(sweep())
    }
    guard let operation = waiting.backlog?.operations.popFirst() else {
      gate.releaseDrained()
      return .done
    }
    switch operation {
    case .next(let value):
      guard termination == nil else { return .release(operation) }
      evicted = record(value, &waiting)
      return .deliver(value)
    case .end(let end):
      guard termination == nil else { return .release(operation) }
      accept(end, &waiting)
      return .end(end)
    case .join(let node):
      let catchUp = waiting.backlog?.finish(node)
      if termination == nil { append(node) }
      if let catchUp { return .catchUp(catchUp) }
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
      if !node.isDisposed { unsafeDowncast(node, to: Sink.self).observer.next(value) }
    }
  }

  @inlinable
  func end(_ termination: Termination) {
    // RAC's order: what is upstream is torn down before the end is told.
    waiting.withLock { $0.upstream.take() }.dispose()
    takeNodes { unsafeDowncast($0, to: Sink.self).observer.end(termination) }
  }

  override func leaveDisposedNode() -> Bool {
    waiting.withLock { waiting in
      waiting.needBacklog().hasDisposedNodes = true
      return gate.acquireOrContend()
    }
  }
}
