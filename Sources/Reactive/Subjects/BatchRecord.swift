/// The record of a replaying subject that receives batches: whole batches, of which the oldest may
/// have been evicted in part.
@usableFromInline
struct BatchRecord<Value: Sendable>: Sendable {
  /// The greatest weight of the values kept, unless the latest value alone is heavier.
  private let capacity: Int
  /// The batches; those before `first` have been evicted.
  private var batches: ContiguousArray<Batch<Value>?> = []
  private var first = 0
  /// The number of evicted values of the first batch.
  private var skipped = 0
  /// The weight of the values kept, without the skipped ones.
  private var weight = 0

  @usableFromInline
  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Adds a batch.
  ///
  /// - Returns: the batches evicted by it.
  @usableFromInline
  mutating func append(_ batch: Batch<Value>) -> [Batch<Value>] {
    batches.append(batch)
    weight += batch.count * batch.valueWeight
    var evicted: [Batch<Value>] = []
    while weight > capacity, let oldest = batches[first] {
      let surplus = (weight - capacity - 1) / oldest.valueWeight + 1
      let left = oldest.count - skipped
      // The latest value stays.
      let isLast = first + 1 == batches.count
      guard surplus >= left, !isLast else {
        let skips = min(surplus, left - 1)
        skipped += skips
        weight -= skips * oldest.valueWeight
        break
      }
      evicted.append(oldest)
      batches[first] = nil
      weight -= left * oldest.valueWeight
      skipped = 0
      first += 1
    }
    if first > 64, first > batches.count / 2 {
      batches.removeFirst(first)
      first = 0
    }
    return evicted
  }

  /// The latest value.
  var last: Value? {
    guard let batch = batches.last.flatMap({ $0 }) else { return nil }
    var last: Value?
    batch.forEach(from: batch.count - 1, while: { true }) { last = $0 }
    return last
  }

  /// Calls `body` with what is kept, in the pieces in which it came, while `condition` returns true.
  @usableFromInline
  func forEachPiece(while condition: () -> Bool, _ body: (Piece<Value>) -> Void) {
    var start = skipped
    for case let batch? in batches[first...] {
      guard condition() else { return }
      if start == 0 {
        body(.batch(batch))
      } else {
        batch.forEach(from: start, while: condition) { body(.value($0)) }
      }
      start = 0
    }
  }

  /// Calls `body` with each kept value while `condition` returns true.
  @usableFromInline
  func forEach(while condition: () -> Bool, _ body: (Value) -> Void) {
    var start = skipped
    for case let batch? in batches[first...] {
      guard condition() else { return }
      batch.forEach(from: start, while: condition, body)
      start = 0
    }
  }
}
