/// Mutable state of an operator with one source.
///
/// Events of a subscription arrive one at a time and each happens before the next, so the state
/// needs neither a lock nor exclusivity checks. Operators with several sources guard it with a
/// `Serializer`.
@usableFromInline
final class SerialState<State>: @unchecked Sendable {
  // Unchecked: the contract of a subscription serialises every access.
  @exclusivity(unchecked)
  @usableFromInline var value: State

  @inlinable
  init(_ value: State) {
    self.value = value
  }
}
