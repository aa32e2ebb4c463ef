/// Where in a script something was made, for what goes wrong with it later.
struct SourceLocation: Sendable {
  /// `file:line`; nil where no line of a script has made it.
  let text: String?

  /// An error of what was made there.
  func failure(_ problem: String) -> Failure {
    var failure = Failure(.lua, text.map { "\($0): \(problem)" } ?? problem)
    failure.position = text
    return failure
  }
}
