import Journal

/// Stores a batch's executions: a journal here; another implementation may share them among
/// machines.
///
/// Replies arrive on any thread.
package protocol ExecutionLog: Sendable {
  /// Claims entries; the granted ones are recorded as running when the reply arrives.
  func claim(
    _ entries: [PlanEntry],
    _ answer: @escaping @Sendable (Result<[Claim], JournalError>) -> Void)

  /// Records the start of an execution, in seconds since 1970, unless it ends at once.
  func begin(_ execution: Int64, at time: Double)

  /// Records notes about running executions, with a delay, and only so that they outlast this
  /// process.
  func note(_ change: (inout ExecutionNotes) -> Void)

  /// Records ends and releases unused claims, with a delay.
  func record(_ ends: [ExecutionEnd], releases: [Int64])

  /// Replies when all earlier records are written, or cannot be.
  func flush(_ answer: @escaping @Sendable (Result<Void, JournalError>) -> Void)

  /// Ends the batch with its exit status, after all records are written.
  func finish(status: Int32) throws(JournalError)
}

/// Stores nothing, for batches without a journal.
package final class NoLog: ExecutionLog {

  package init() {}
  private let claims = UnrecordedClaims()

  package func claim(
    _ entries: [PlanEntry],
    _ answer: @escaping @Sendable (Result<[Claim], JournalError>) -> Void
  ) {
    answer(Result { () throws(JournalError) in try claims.claim(entries) })
  }

  package func begin(_ execution: Int64, at time: Double) {}

  package func note(_ change: (inout ExecutionNotes) -> Void) {}

  package func record(_ ends: [ExecutionEnd], releases: [Int64]) {}

  package func flush(_ answer: @escaping @Sendable (Result<Void, JournalError>) -> Void) {
    answer(.success(()))
  }

  package func finish(status: Int32) {}
}
