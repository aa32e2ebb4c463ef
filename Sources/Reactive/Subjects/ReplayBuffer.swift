/// The record of a replaying subject: all values, or the latest up to a capacity.
///
/// What it lets go of is handed out, to be released when no lock is held: it may be user code that runs
/// then.
///
/// An unlimited record grows in chunks, so that a million values cost a million values, and a
/// snapshot shares all of them. A limited one is a ring in which a new value takes the place of the
/// oldest, which is released at once.
@usableFromInline
struct ReplayBuffer<Value: Sendable>: Sendable {
  @inlinable static var chunkSize: Int { 4096 }

  /// The most values kept; `Int.max` for all.
  @usableFromInline let capacity: Int
  /// The full chunks of an unlimited record.
  @usableFromInline var chunks: ContiguousArray<ContiguousArray<Value>> = []
  /// The last chunk, or the ring.
  @usableFromInline var latest: ContiguousArray<Value> = []
  /// Where the ring begins.
  @usableFromInline var oldest = 0

  /// - Parameter capacity: the most values kept; nil for all.
  @inlinable
  init(capacity: Int?) {
    precondition(capacity ?? 0 >= 0, "a replay capacity cannot be negative")
    self.capacity = capacity ?? .max
  }

  /// Adds a value.
  ///
  /// - Returns: the one that makes room for it.
  @inlinable
  mutating func append(_ value: Value) -> Value? {
    if capacity == .max {
      if latest.count == Self.chunkSize { beginChunk() }
      latest.append(value)
    } else if latest.count < capacity {
      latest.append(value)
    } else if capacity > 0 {
      var evicted = value
      swap(&evicted, &latest[oldest])
      oldest = oldest + 1 == capacity ? 0 : oldest + 1
      return evicted
    }
    return nil
  }

  @inlinable
  mutating func beginChunk() {
    chunks.append(latest)
    latest = []
    latest.reserveCapacity(Self.chunkSize)
  }

  /// Whether there is nothing to replay.
  @inlinable
  var isEmpty: Bool { latest.isEmpty }

  /// The values of this moment, in order.
  @inlinable
  func snapshot() -> Snapshot {
    Snapshot(chunks: chunks, older: latest[oldest...], newer: latest[..<oldest])
  }

  /// An immutable copy of a record.
  @usableFromInline
  struct Snapshot: Sendable {
    @usableFromInline let chunks: ContiguousArray<ContiguousArray<Value>>
    @usableFromInline let older: ArraySlice<Value>
    @usableFromInline let newer: ArraySlice<Value>

    @inlinable
    init(
      chunks: ContiguousArray<ContiguousArray<Value>>, older: ArraySlice<Value>,
      newer: ArraySlice<Value>
    ) {
      self.chunks = chunks
      self.older = older
      self.newer = newer
    }

    /// Calls `body` with each value as long as `condition` holds.
    @inlinable
    func forEach(while condition: () -> Bool, _ body: (Value) -> Void) {
      for chunk in chunks {
        guard chunk.withUnsafeBufferPointer({ Self.send($0, condition, body) }) else { return }
      }
      guard older.withUnsafeBufferPointer({ Self.send($0, condition, body) }) else { return }
      _ = newer.withUnsafeBufferPointer { Self.send($0, condition, body) }
    }

    /// False if the condition did not hold to the end.
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
