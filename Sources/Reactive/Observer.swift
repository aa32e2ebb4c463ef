/// The receiving end of one stage of a pipeline, as operators see it.
///
/// Two calls instead of one taking an `Event`: an enum handed from stage to stage costs an order of
/// magnitude more than a direct call. Operators that leave termination alone hand `end` on
/// untouched, so that a stage costs one closure.
///
/// Whoever calls it keeps the rules of a subscription: one call at a time, nothing after `end`, and
/// nothing new after the subscription was disposed.
@frozen
public struct Observer<Value: Sendable>: Sendable {
  /// Receives a value.
  public let next: @Sendable (Value) -> Void
  /// Receives several values in one call; nil if they are to come one by one. A source may use
  /// either.
  public let batch: (@Sendable (Batch<Value>) -> Void)?
  /// Receives the end of the stream.
  public let end: @Sendable (Termination) -> Void

  /// An observer of the calls.
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

  /// An observer of nothing but the end, whatever way the values come.
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
