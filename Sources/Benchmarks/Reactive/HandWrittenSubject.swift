/// What one would write by hand for a hot stream: a gate, and a list of receivers that the caller inside
/// goes through. The list is memory of the subject's own with unmanaged objects, since a retain of an
/// array or a receiver would cost more than a call.
final class HandWrittenSubject<Value: Sendable>: @unchecked Sendable {
  // Unchecked: the caller inside the gate owns `receivers`.
  typealias Receive = @Sendable (Value) -> Void

  final class Receiver: Sendable {
    let receive: Receive

    init(_ receive: @escaping Receive) { self.receive = receive }
  }

  private let gate = HandWrittenGate()
  @exclusivity(unchecked)
  private var receivers = UnsafeMutablePointer<Unmanaged<Receiver>>.allocate(capacity: 4)
  @exclusivity(unchecked)
  private var count = 0
  @exclusivity(unchecked)
  private var capacity = 4

  deinit {
    for index in 0..<count { receivers[index].release() }
    receivers.deallocate()
  }

  @inline(never)
  func subscribe(_ receive: @escaping Receive) {
    guard gate.enter() else { return gate.submit { self.add(receive) } }
    add(receive)
    gate.leave()
  }

  private func add(_ receive: @escaping Receive) {
    if count == capacity {
      let larger = UnsafeMutablePointer<Unmanaged<Receiver>>.allocate(capacity: 2 * capacity)
      larger.moveInitialize(from: receivers, count: count)
      receivers.deallocate()
      (receivers, capacity) = (larger, 2 * capacity)
    }
    (receivers + count).initialize(to: .passRetained(Receiver(receive)))
    count += 1
  }

  @inline(__always)
  func send(_ value: Value) {
    guard gate.enter() else { return gate.submit { self.deliver(value) } }
    deliver(value)
    gate.leave()
  }

  @inline(__always)
  private func deliver(_ value: Value) {
    for index in 0..<count { receivers[index]._withUnsafeGuaranteedRef { $0.receive(value) } }
  }
}

/// The stages of a pipeline as closures, one around the next; each a call of its own, as it is in
/// anything that is put together at run time.
enum Stage<Value: Sendable> {
  typealias Receive = @Sendable (Value) -> Void

  @inline(never)
  static func map(
    _ transform: @escaping @Sendable (Value) -> Value, _ next: @escaping Receive
  ) -> Receive {
    { next(transform($0)) }
  }

  @inline(never)
  static func filter(
    _ isIncluded: @escaping @Sendable (Value) -> Bool, _ next: @escaping Receive
  ) -> Receive {
    { if isIncluded($0) { next($0) } }
  }

  @inline(never)
  static func scan(
    _ seed: Value, _ combine: @escaping @Sendable (Value, Value) -> Value,
    _ next: @escaping Receive
  ) -> Receive {
    let cell = Cell(seed)
    return {
      cell.state = combine(cell.state, $0)
      next(cell.state)
    }
  }
}
