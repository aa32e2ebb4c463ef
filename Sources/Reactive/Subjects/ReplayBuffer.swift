/// The record of a replaying subject: all values, or the latest up to a capacity.
///
/// It returns evicted values to the caller, which releases them outside all locks, because
/// releasing them may run user code.
///
/// An unlimited record grows in chunks, so that its cost is linear in the number of values, and a
/// snapshot shares all of them. A limited one is a ring in which a new value takes the place of the
/// oldest, which is released at once. Once batches arrive, everything is kept as batches.
@usableFromInline
struct ReplayBuffer<Value: Sendable>: Sendable {
  @inlinable static var chunkSize: Int { 4096 }

  /// The maximum number of values kept; `Int.max` for all.
  @usableFromInline let capacity: Int
  /// The full chunks of an unlimited record.
  @usableFromInline var chunks: ContiguousArray<ContiguousArray<Value>> = []
  /// The last chunk, or the ring.
  @usableFromInline var latest: ContiguousArray<Value> = []
  /// The index where the ring begins.
  @usableFromInline var oldest = 0
  /// All values, once the first batch has arrived.
  @usableFromInline var batches: BatchRecord<Value>?

  /// - Parameter capacity: the maximum number of values kept; nil for all.
  @inlinable
  init(capacity: Int?) {
    precondition(capacity ?? 0 >= 0, "a replay capacity cannot be negative")
    self.capacity = capacity ?? .max
  }

  /// The values evicted by something new.
  @usableFromInline
  enum Evicted: Sendable {
    case value(Value)
    case batches([Batch<Value>])
  }

  /// Adds a value.
  ///
  /// - Returns: the values evicted by it.
  @inlinable
  mutating func append(_ value: Value) -> Evicted? {
    if batches != nil { return append(ListBatch([value])) }
    if capacity == .max {
      if latest.count == Self.chunkSize { beginChunk() }
      latest.append(value)
    } else if latest.count < capacity {
      latest.append(value)
    } else if capacity > 0 {
      var evicted = value
      swap(&evicted, &latest[oldest])
      oldest = oldest + 1 == capacity ? 0 : oldest + 1
      return .value(evicted)
    }
    return nil
  }

  /// Adds a batch.
  ///
  /// - Returns: the values evicted by it.
  @usableFromInline
  mutating func append(_ batch: Batch<Value>) -> Evicted? {
    guard capacity > 0 else { return nil }
    if batches == nil { keepBatches() }
    return (batches?.append(batch)).map { .batches($0) }
  }

  private mutating func keepBatches() {
    var record = BatchRecord<Value>(capacity: capacity)
    let values = ContiguousArray(chunks.joined()) + latest[oldest...] + latest[..<oldest]
    if !values.isEmpty { _ = record.append(ListBatch(values)) }
    (chunks, latest, oldest) = ([], [], 0)
    batches = record
  }

  @inlinable
  mutating func beginChunk() {
    chunks.append(latest)
    latest = []
    latest.reserveCapacity(Self.chunkSize)
  }

  /// True if there is nothing to replay.
  @inlinable
  var isEmpty: Bool { latest.isEmpty && batches == nil }

  /// The current values, in order.
  @inlinable
  func snapshot() -> Snapshot {
    Snapshot(
      chunks: chunks, older: latest[oldest...], newer: latest[..<oldest], batches: batches)
  }

  /// An immutable copy of a record.
  @usableFromInline
  struct Snapshot: Sendable {
    @usableFromInline let chunks: ContiguousArray<ContiguousArray<Value>>
    @usableFromInline let older: ArraySlice<Value>
    @usableFromInline let newer: ArraySlice<Value>
    @usableFromInline let batches: BatchRecord<Value>?

    @inlinable
    init(
      chunks: ContiguousArray<ContiguousArray<Value>>, older: ArraySlice<Value>,
      newer: ArraySlice<Value>, batches: BatchRecord<Value>?
    ) {
      self.chunks = chunks
      self.older = older
      self.newer = newer
      self.batches = batches
    }

    /// The latest value.
    var last: Value? { batches.map(\.last) ?? newer.last ?? older.last ?? chunks.last?.last }

    /// Calls `body` with each value while `condition` returns true.
    @inlinable
    func forEach(while condition: () -> Bool, _ body: (Value) -> Void) {
      if let batches { return batches.forEach(while: condition, body) }
      for chunk in chunks {
        guard chunk.withUnsafeBufferPointer({ Self.send($0, condition, body) }) else { return }
      }
      guard older.withUnsafeBufferPointer({ Self.send($0, condition, body) }) else { return }
      _ = newer.withUnsafeBufferPointer { Self.send($0, condition, body) }
    }

    /// Calls `body` with what is kept, in the pieces in which it came, while `condition` returns true.
    @usableFromInline
    func forEachPiece(while condition: () -> Bool, _ body: (Piece<Value>) -> Void) {
      if let batches { return batches.forEachPiece(while: condition, body) }
      forEach(while: condition) { body(.value($0)) }
    }

    /// Returns false if `condition` returned false before the last value.
    @inlinable
    static func send(
      _ values: UnsafeBufferPointer<Value>, _ condition: () -> Bool, _ body: (Value) -> Void
    ) -> Bool {
      for value in values {
        guard condition() else { return false }
        body(value)
      }
      return true
    }
  }
}
