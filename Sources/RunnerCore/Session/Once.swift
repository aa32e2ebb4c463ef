/// A value that closures on the loop's thread set once.
@usableFromInline
package final class Once<Value>: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  @usableFromInline package var value: Value?

  @inlinable
  package init() {}
}
