import Synchronization

/// What one would write by hand for a cold stream: a class with a method that starts it.
class HandWrittenStream<Value: Sendable>: @unchecked Sendable {
  // Unchecked only because it has subclasses: they add immutable properties.

  /// Sends the stream's values to what merges it with others.
  func start(into merging: HandWrittenMerging<Value>) {}
}

/// A stream of one value.
final class HandWrittenValue<Value: Sendable>: HandWrittenStream<Value>, @unchecked Sendable {
  // Unchecked only because its superclass is: it adds an immutable property.
  private let value: Value

  @inline(never)
  init(_ value: Value) {
    self.value = value
  }

  override func start(into merging: HandWrittenMerging<Value>) { merging.send(value) }
}

/// What one would write by hand to merge streams: a gate. Only streams that do not end at once have to
/// be counted, of which the workload has none.
final class HandWrittenMerging<Value: Sendable>: Sendable {
  private let receive: @Sendable (Value) -> Void
  private let gate = HandWrittenGate()
  private let isDisposed = Atomic<Bool>(false)

  init(_ receive: @escaping @Sendable (Value) -> Void) {
    self.receive = receive
  }

  @inline(never)
  func add(_ stream: HandWrittenStream<Value>) {
    stream.start(into: self)
  }

  func send(_ value: Value) {
    guard !isDisposed.load(ordering: .acquiring) else { return }
    guard gate.enter() else { return gate.submit { self.receive(value) } }
    receive(value)
    gate.leave()
  }
}

/// What one would write by hand to combine two streams: a gate, and the latest values, which belong to
/// the caller inside.
final class HandWrittenCombining<Value: Sendable>: @unchecked Sendable {
  // Unchecked: the caller inside the gate owns the values.
  private let receive: @Sendable (Value, Value) -> Void
  private let gate = HandWrittenGate()
  @exclusivity(unchecked) private var first: Value?
  @exclusivity(unchecked) private var second: Value?

  init(_ receive: @escaping @Sendable (Value, Value) -> Void) {
    self.receive = receive
  }

  @inline(__always)
  func sendFirst(_ value: Value) {
    guard gate.enter() else { return gate.submit { self.updateFirst(value) } }
    updateFirst(value)
    gate.leave()
  }

  @inline(__always)
  func sendSecond(_ value: Value) {
    guard gate.enter() else { return gate.submit { self.updateSecond(value) } }
    updateSecond(value)
    gate.leave()
  }

  private func updateFirst(_ value: Value) {
    first = value
    if let second { receive(value, second) }
  }

  private func updateSecond(_ value: Value) {
    second = value
    if let first { receive(first, value) }
  }
}

/// What one would write by hand for a stream from a block: the block, and one object for each
/// subscription that is its receiver and its disposable.
final class HandWrittenBlock<Value: Sendable>: Sendable {
  private let start: @Sendable (HandWrittenSubscriber<Value>) -> Void

  @inline(never)
  init(_ start: @escaping @Sendable (HandWrittenSubscriber<Value>) -> Void) {
    self.start = start
  }

  @inline(never)
  func subscribe(
    _ receive: @escaping @Sendable (Value) -> Void, _ complete: @escaping @Sendable () -> Void
  ) -> HandWrittenSubscriber<Value> {
    let subscriber = HandWrittenSubscriber(receive, complete)
    start(subscriber)
    return subscriber
  }
}

/// Takes values from any thread, one at a time, until it has completed or was disposed.
final class HandWrittenSubscriber<Value: Sendable>: @unchecked Sendable {
  // Unchecked: the caller inside the gate owns the closures; the last one releases them.
  private let gate = HandWrittenGate()
  @exclusivity(unchecked) private var receive: (@Sendable (Value) -> Void)?
  @exclusivity(unchecked) private var complete: (@Sendable () -> Void)?

  init(_ receive: @escaping @Sendable (Value) -> Void, _ complete: @escaping @Sendable () -> Void) {
    self.receive = receive
    self.complete = complete
  }

  func send(_ value: Value) {
    guard gate.enter() else { return gate.submit { self.receive?(value) } }
    receive?(value)
    gate.leave()
  }

  func end() {
    guard gate.enter() else { return gate.submit { self.finish() } }
    finish()
  }

  private func finish() {
    gate.close()
    receive = nil
    complete.take()?()
  }

  func dispose() {
    guard !gate.isClosed, gate.shut() else { return }
    receive = nil
    complete = nil
  }
}
