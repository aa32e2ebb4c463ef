/// Values that a source has all at once, in one piece until somebody wants them one by one.
///
/// A source may hand one to an observer that takes batches; for all others it is as many values. What
/// they are is the subclass's: text, for example, whose lines nobody may ever look at.
open class Batch<Value: Sendable>: @unchecked Sendable {
  // Unchecked only because the class is open: its one stored property is immutable.

  /// How many values.
  public final let count: Int

  /// A batch of a number of values, at least one.
  public init(count: Int) {
    self.count = count
  }

  /// Calls `body` with the values from an offset on, in order, as long as `condition` holds. A
  /// subclass has to override it.
  open func forEach(from start: Int, while condition: () -> Bool, _ body: (Value) -> Void) {
    preconditionFailure("a batch has to know its values")
  }

  /// Calls `body` with each value, in order.
  public final func forEach(_ body: (Value) -> Void) {
    forEach(from: 0, while: { true }, body)
  }
}

/// A batch of values that are there.
@usableFromInline
final class ListBatch<Value: Sendable>: Batch<Value>, @unchecked Sendable {
  private let values: ContiguousArray<Value>

  @usableFromInline
  init(_ values: ContiguousArray<Value>) {
    self.values = values
    super.init(count: values.count)
  }

  override func forEach(from start: Int, while condition: () -> Bool, _ body: (Value) -> Void) {
    for value in values[start...] {
      guard condition() else { return }
      body(value)
    }
  }
}
