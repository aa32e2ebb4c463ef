import Journal

/// What keeps a batch's executions: a journal here, and what several machines share in its place.
///
/// Answers arrive on any thread.
protocol ExecutionLog: Sendable {
  /// Asks for entries; those that are granted are recorded as running when the answer comes.
  func claim(
    _ entries: [PlanEntry],
    _ answer: @escaping @Sendable (Result<[Claim], JournalError>) -> Void)

  /// Records that an execution has begun, at a time in seconds since 1970, unless it ends at once.
  func begin(_ execution: Int64, at time: Double)

  /// Records what executions do that have not ended, some time soon and only so that it outlasts this
  /// process.
  func note(_ change: (inout ExecutionNotes) -> Void)

  /// Records ends, and gives back claims that were not used, some time soon.
  func record(_ ends: [ExecutionEnd], releases: [Int64])

  /// Answers when everything is recorded that came before, or cannot be.
  func flush(_ answer: @escaping @Sendable (Result<Void, JournalError>) -> Void)

  /// Ends the batch with its exit status, after everything is recorded.
  func finish(status: Int32) throws(JournalError)
}

/// Keeps nothing, for batches without a journal.
final class NoLog: ExecutionLog {
  private let claims = UnrecordedClaims()

  func claim(
    _ entries: [PlanEntry],
    _ answer: @escaping @Sendable (Result<[Claim], JournalError>) -> Void
  ) {
    answer(Result { () throws(JournalError) in try claims.claim(entries) })
  }

  func begin(_ execution: Int64, at time: Double) {}

  func note(_ change: (inout ExecutionNotes) -> Void) {}

  func record(_ ends: [ExecutionEnd], releases: [Int64]) {}

  func flush(_ answer: @escaping @Sendable (Result<Void, JournalError>) -> Void) {
    answer(.success(()))
  }

  func finish(status: Int32) {}
}
