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

  /// Returns true if it comes earlier in the same file, or in a file whose name sorts earlier.
  func isBefore(_ other: SourceLocation) -> Bool { parts < other.parts }

  private var parts: (file: Substring, line: Int) {
    let text = text ?? ""
    guard let colon = text.lastIndex(of: ":") else { return (text[...], 0) }
    return (text[..<colon], Int(text[text.index(after: colon)...]) ?? 0)
  }
}
