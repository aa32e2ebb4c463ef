import Synchronization

/// What one would write by hand for a record: a lock, an array, a snapshot to go through.
final class HandWrittenReplay<Value: Sendable>: Sendable {
  private struct State {
    var record: [Value] = []
    var receivers: [@Sendable (Value) -> Void] = []
  }

  private let state = Mutex(State())

  func send(_ value: Value) {
    let receivers = state.withLock { state in
      state.record.append(value)
      return state.receivers
    }
    for receive in receivers { receive(value) }
  }

  @inline(never)
  func subscribe(_ receive: @escaping @Sendable (Value) -> Void) {
    let record = state.withLock { $0.record }
    // Without the detour over a stored property the closure is known here, and the loop becomes a sum.
    let receiver = HandWrittenSubject<Value>.Receiver(receive)
    deliver(record, to: receiver)
  }

  @inline(never)
  private func deliver(_ record: [Value], to receiver: HandWrittenSubject<Value>.Receiver) {
    let receive = receiver.receive
    for value in record { receive(value) }
  }
}
