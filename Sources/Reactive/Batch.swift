/// Several values that a source has at once, kept in one piece until an observer needs them one by
/// one.
///
/// A source may hand a batch to an observer that accepts batches; for all other observers it acts
/// like separate values. Subclasses define the content: for example text that may never be split
/// into lines.
open class Batch<Value: Sendable>: @unchecked Sendable {
  // Unchecked only because the class is open: its one stored property is immutable.

  /// The number of values.
  public final let count: Int
  /// The number of values that each of them counts for in a record of limited capacity, on average: 1,
  /// or more if they are large.
  public final let valueWeight: Int

  /// A batch of a number of values. One of none is a notice for the receivers that know its class;
  /// operators that pass batches on pass it on, and records omit it.
  public init(count: Int, valueWeight: Int = 1) {
    self.count = count
    self.valueWeight = valueWeight
  }

  /// Calls `body` with the values from an offset on, in order, while `condition` returns true.
  /// Subclasses must override it.
  open func forEach(from start: Int, while condition: () -> Bool, _ body: (Value) -> Void) {
    preconditionFailure("a batch has to know its values")
  }

  /// Calls `body` with each value, in order.
  public final func forEach(_ body: (Value) -> Void) {
    forEach(from: 0, while: { true }, body)
  }
}

/// What a source sends in one call.
@usableFromInline
enum Piece<Value: Sendable>: Sendable {
  case value(Value)
  case batch(Batch<Value>)
}

/// A batch of stored values.
@usableFromInline
final class ListBatch<Value: Sendable>: Batch<Value>, @unchecked Sendable {
  // Unchecked only because its superclass is open: the property that it adds is immutable.

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
