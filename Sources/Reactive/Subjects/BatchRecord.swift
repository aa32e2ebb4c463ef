/// The record of a replaying subject that receives batches: whole batches, of which the oldest may
/// have been evicted in part.
@usableFromInline
struct BatchRecord<Value: Sendable>: Sendable {
  /// The maximum number of values kept.
  private let capacity: Int
  /// The batches; those before `first` have been evicted.
  private var batches: ContiguousArray<Batch<Value>?> = []
  private var first = 0
  /// The number of evicted values of the first batch.
  private var skipped = 0
  /// The number of values kept, without the skipped ones.
  private var count = 0

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

  /// The latest value.
  var last: Value? {
    guard count > 0, let batch = batches.last.flatMap({ $0 }) else { return nil }
    var last: Value?
    batch.forEach(from: batch.count - 1, while: { true }) { last = $0 }
    return last
  }

  /// Calls `body` with each kept value while `condition` returns true.
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
