/// The place in a script where something was made, for later error messages about it.
struct SourceLocation: Sendable {
  /// The `file:line`; nil if no line of a script has made it.
  let text: String?

  /// Returns a failure at this place.
  func failure(_ problem: String) -> Failure {
    var failure = Failure(.lua, text.map { "\($0): \(problem)" } ?? problem)
    failure.position = text
    return failure
  }
}
