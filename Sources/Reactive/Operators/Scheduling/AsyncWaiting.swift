extension Signal {
  /// Suspends until the first value. RAC: `asynchronousFirstOrDefault:success:error:`.
  ///
  /// - Values: the first is returned.
  /// - Error: thrown.
  /// - Completion: without a value, returns nil.
  /// - Disposal: the source is disposed with its first value. Cancelling the task disposes it and
  ///   throws `CancellationError`.
  /// - Scheduler: any, the main one included; the task goes on where its actor says.
  ///
  /// - Throws: the signal's error, or `CancellationError`.
  public func firstAsync() async throws -> Value? {
    for try await value in take(1).values { return value }
    try Task.checkCancellation()
    return nil
  }

  /// Suspends until the end. RAC: `asynchronouslyWaitUntilCompleted:`.
  ///
  /// - Values: ignored.
  /// - Error: thrown.
  /// - Completion: returns.
  /// - Disposal: cancelling the task disposes the source and throws `CancellationError`.
  /// - Scheduler: any, the main one included; the task goes on where its actor says.
  ///
  /// - Throws: the signal's error, or `CancellationError`.
  public func untilCompleted() async throws {
    for try await _ in ignoreValues().values {}
    try Task.checkCancellation()
  }
}
