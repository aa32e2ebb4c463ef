import Synchronization

/// What one would write by hand for a hot stream: a lock, a list of receivers, a snapshot to call. The
/// list is of unmanaged objects that the subject keeps, since a retain would cost more than a call.
final class HandWrittenSubject<Value: Sendable>: Sendable {
  typealias Receive = @Sendable (Value) -> Void

  final class Receiver: Sendable {
    let receive: Receive

    init(_ receive: @escaping Receive) { self.receive = receive }
  }

  private let receivers = Mutex<ContiguousArray<Unmanaged<Receiver>>>([])

  deinit {
    receivers.withLock { for receiver in $0 { receiver.release() } }
  }

  @inline(never)
  func subscribe(_ receive: @escaping Receive) {
    let receiver = Unmanaged.passRetained(Receiver(receive))
    receivers.withLock { $0.append(receiver) }
  }

  @inline(__always)
  func send(_ value: Value) {
    let snapshot = receivers.withLock { $0 }
    snapshot.withUnsafeBufferPointer { receivers in
      for receiver in receivers { receiver._withUnsafeGuaranteedRef { $0.receive(value) } }
    }
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
