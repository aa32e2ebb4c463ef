extension Failure {
  /// The failure of what waits although nothing is left that could end the wait.
  ///
  /// - Parameter subject: what waits; nil if the failure's command says it.
  public static func stuck(_ subject: String? = nil) -> Failure {
    let text = "waits for something that nothing can send"
    return Failure(.user, subject.map { "\($0) \(text)" } ?? text)
  }
}
