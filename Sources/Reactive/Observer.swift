/// The receiving end of one stage of a pipeline, as operators see it.
///
/// It has two calls instead of one that takes an `Event`: passing an enum from stage to stage costs
/// an order of magnitude more than a direct call. Operators that do not change the termination pass
/// `end` on unchanged, so a stage costs one closure.
///
/// The caller follows the rules of a subscription: one call at a time, nothing after `end`, and
/// nothing new after the subscription was disposed.
@frozen
public struct Observer<Value: Sendable>: Sendable {
  /// Receives a value.
  public let next: @Sendable (Value) -> Void
  /// Receives several values in one call; nil to receive them one by one. A source may use either.
  public let batch: (@Sendable (Batch<Value>) -> Void)?
  /// Receives the end of the stream.
  public let end: @Sendable (Termination) -> Void

  /// An observer with these closures.
  @inlinable
  public init(
    next: @escaping @Sendable (Value) -> Void,
    batch: (@Sendable (Batch<Value>) -> Void)? = nil,
    end: @escaping @Sendable (Termination) -> Void
  ) {
    self.next = next
    self.batch = batch
    self.end = end
  }

  /// An observer that ignores values and receives only the end.
  @inlinable
  public init(end: @escaping @Sendable (Termination) -> Void) {
    self.init(next: { _ in }, batch: { _ in }, end: end)
  }

  @inlinable
  package func send(_ event: Event<Value>) {
    switch event {
    case .next(let value): next(value)
    case .error(let error): end(.error(error))
    case .completed: end(.completed)
    }
  }
}
