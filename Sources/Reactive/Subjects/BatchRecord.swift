/// The record of a replaying subject that batches come to: whole batches, of which the oldest may have
/// made room in part.
@usableFromInline
struct BatchRecord<Value: Sendable>: Sendable {
  /// The most values kept.
  private let capacity: Int
  /// Those before `first` have made room.
  private var batches: ContiguousArray<Batch<Value>?> = []
  private var first = 0
  /// How many values of the first batch have made room.
  private var skipped = 0
  /// How many values are kept, without the skipped.
  private var count = 0

  @usableFromInline
  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Adds a batch.
  ///
  /// - Returns: those that make room for it.
  @usableFromInline
  mutating func append(_ batch: Batch<Value>) -> [Batch<Value>] {
    batches.append(batch)
    count += batch.count
    guard count > capacity else { return [] }
    skipped += count - capacity
    count = capacity
    var evicted: [Batch<Value>] = []
    while let oldest = batches[first], skipped >= oldest.count {
      evicted.append(oldest)
      batches[first] = nil
      skipped -= oldest.count
      first += 1
    }
    if first > 64, first > batches.count / 2 {
      batches.removeFirst(first)
      first = 0
    }
    return evicted
  }

  /// The value that came last.
  var last: Value? {
    guard count > 0, let batch = batches.last.flatMap({ $0 }) else { return nil }
    var last: Value?
    batch.forEach(from: batch.count - 1, while: { true }) { last = $0 }
    return last
  }

  /// Calls `body` with each value kept as long as `condition` holds.
  @usableFromInline
  func forEach(while condition: () -> Bool, _ body: (Value) -> Void) {
    var start = skipped
    for batch in batches[first...] {
      guard condition() else { return }
      batch?.forEach(from: start, while: condition, body)
      start = 0
    }
  }
}
