/// The record of a replaying subject: all values, or the latest up to a capacity.
///
/// An unlimited record grows in chunks, so that a million values cost a million values, and a
/// snapshot shares all full chunks. A limited one is a ring in which a new value takes the place of
/// the oldest, which is released at once.
@usableFromInline
struct ReplayBuffer<Value: Sendable>: Sendable {
  @usableFromInline enum Storage: Sendable {
    case chunks(ContiguousArray<ContiguousArray<Value>>)
    case ring(ContiguousArray<Value>, oldest: Int, capacity: Int)
  }

  @inlinable static var chunkSize: Int { 4096 }

  @usableFromInline var storage: Storage

  /// - Parameter capacity: the most values kept; nil for all.
  @inlinable
  init(capacity: Int?) {
    if let capacity {
      precondition(capacity >= 0, "a replay capacity cannot be negative")
      storage = .ring([], oldest: 0, capacity: capacity)
    } else {
      storage = .chunks([])
    }
  }

  @inlinable
  mutating func append(_ value: Value) {
    switch storage {
    case .chunks(var chunks):
      // Emptied while it changes, so that the arrays inside are not copied.
      storage = .chunks([])
      if let last = chunks.indices.last, chunks[last].count < Self.chunkSize {
        chunks[last].append(value)
      } else {
        var chunk = ContiguousArray<Value>()
        if !chunks.isEmpty { chunk.reserveCapacity(Self.chunkSize) }
        chunk.append(value)
        chunks.append(chunk)
      }
      storage = .chunks(chunks)
    case .ring(_, _, 0):
      return
    case .ring(var values, let oldest, let capacity):
      storage = .chunks([])
      if values.count < capacity {
        values.append(value)
        storage = .ring(values, oldest: 0, capacity: capacity)
      } else {
        values[oldest] = value
        let next = oldest + 1 == capacity ? 0 : oldest + 1
        storage = .ring(values, oldest: next, capacity: capacity)
      }
    }
  }

  /// Whether there is nothing to replay.
  @inlinable
  var isEmpty: Bool {
    switch storage {
    case .chunks(let chunks): chunks.isEmpty
    case .ring(let values, _, _): values.isEmpty
    }
  }

  /// The values of this moment, in order.
  @inlinable
  func snapshot() -> Snapshot {
    switch storage {
    case .chunks(let chunks): Snapshot(first: chunks, second: [])
    case .ring(let values, let oldest, _):
      Snapshot(first: [ContiguousArray(values[oldest...])], second: values[..<oldest])
    }
  }

  /// An immutable copy of a record.
  @usableFromInline
  struct Snapshot: Sendable {
    @usableFromInline let first: ContiguousArray<ContiguousArray<Value>>
    @usableFromInline let second: ContiguousArray<Value>.SubSequence

    @inlinable
    init(first: ContiguousArray<ContiguousArray<Value>>, second: ArraySlice<Value>) {
      self.first = first
      self.second = second
    }

    /// Calls `body` with each value as long as `condition` holds.
    @inlinable
    func forEach(while condition: () -> Bool, _ body: (Value) -> Void) {
      for chunk in first {
        let goesOn = chunk.withUnsafeBufferPointer { values in
          for value in values {
            guard condition() else { return false }
            body(value)
          }
          return true
        }
        guard goesOn else { return }
      }
      for value in second {
        guard condition() else { return }
        body(value)
      }
    }
  }
}
