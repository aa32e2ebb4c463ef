extension Failure {
  /// The kind of the failure that has led to this one; its own if there is none.
  package var rootKind: Kind { cause ?? kind }

  /// Returns the failure as dependents of the command see it.
  public func neededAs(_ command: String) -> Failure {
    var failure = self
    if kind != .dependency { failure.cause = rootKind }
    failure.kind = .dependency
    failure.value = nil
    let name = outer == nil ? call ?? command : command
    failure.message = "'\(name)' failed: \(text)"
    failure.reasonOfLoss = reasonOfLoss.map { "'\(name)' failed: \($0)" }
    // The new message includes both.
    (failure.call, failure.outer) = (nil, nil)
    failure.command = self.command ?? command
    return failure
  }
}
