extension Failure {
  /// Returns the failure as dependents of the command see it.
  public func neededAs(_ command: String) -> Failure {
    var failure = self
    if kind != .dependency { failure.cause = kind }
    failure.kind = .dependency
    failure.value = nil
    let name = outer == nil ? call ?? command : command
    failure.message = "'\(name)' failed: \(text)"
    // The new message includes both.
    (failure.call, failure.outer) = (nil, nil)
    failure.command = self.command ?? command
    return failure
  }
}
