import Dispatch
import Journal
import Reactive
import Synchronization

/// Writes to a journal off the main thread. Records that arrive while one commit is synced go into
/// the next: the slower the disk, the larger the commits.
package final class JournalLog: ExecutionLog {
  private let journal: Journal
  /// Called with write errors, on any thread.
  private let onFailure: @Sendable (JournalError) -> Void
  private let scheduler = QueueScheduler(named: "raclette.journal")
  private let pending = Mutex(Pending())
  private let failedJob = Mutex<JournalError?>(nil)

  private struct Pending {
    var jobs: [Job] = []
    var reserved: [ReservedExecution] = []
    /// The start times of executions that have not ended.
    var starts: [Int64: Double] = [:]
    var notes = ExecutionNotes()
    var ends: [ExecutionEnd] = []
    var releases: [Int64] = []
    var claims: [(entries: [PlanEntry], answer: ClaimAnswer)] = []
    var flushes: [FlushAnswer] = []
    var isWriting = false
    /// True when a timer will write pending starts and notes.
    var isTimed = false
    var hasFailed = false

    /// True if a caller waits for a reply.
    var isAsked: Bool { !claims.isEmpty || !flushes.isEmpty }
    var isEmpty: Bool { !hasRecords && jobs.isEmpty && flushes.isEmpty }
    /// True if there is something to commit.
    var hasRecords: Bool {
      !(reserved.isEmpty && starts.isEmpty && notes.isEmpty && ends.isEmpty && releases.isEmpty
        && claims.isEmpty)
    }
  }

  /// Work on the journal, in its turn.
  package typealias Job = @Sendable (Journal) throws(JournalError) -> Void
  private typealias ClaimAnswer = @Sendable (Result<[Claim], JournalError>) -> Void
  private typealias FlushAnswer = @Sendable (Result<Void, JournalError>) -> Void

  /// - Parameter journal: a journal in which the batch has begun, or begins by the first job.
  package init(_ journal: Journal, onFailure: @escaping @Sendable (JournalError) -> Void) {
    self.journal = journal
    self.onFailure = onFailure
  }

  package func claim(
    _ entries: [PlanEntry],
    _ answer: @escaping @Sendable (Result<[Claim], JournalError>) -> Void
  ) {
    add { $0.claims.append((entries, answer)) }
  }

  /// Works on the journal before the next commit, which takes what is recorded from now on.
  package func perform(_ job: @escaping Job) { add { $0.jobs.append(job) } }

  /// Records executions as running under numbers that were reserved for them, with a delay.
  package func record(_ execution: ReservedExecution) {
    addInTime { $0.reserved.append(execution) }
  }

  package func begin(_ execution: Int64, at time: Double) {
    addInTime { $0.starts[execution] = time }
  }

  package func note(_ change: (inout ExecutionNotes) -> Void) {
    addInTime { change(&$0.notes) }
  }

  /// Adds starts and notes without an immediate commit. Most executions are short, and the record
  /// of the end includes the start, so starts and notes go into the next commit, or into their own
  /// after a short delay.
  private func addInTime(_ change: (inout Pending) -> Void) {
    let isFirst = pending.withLock { pending in
      change(&pending)
      defer { pending.isTimed = true }
      return !pending.isTimed
    }
    guard isFirst else { return }
    scheduler.schedule(after: .milliseconds(50)) { [self] in
      add { $0.isTimed = false }
    }
  }

  package func record(_ ends: [ExecutionEnd], releases: [Int64]) {
    add {
      for end in ends {
        $0.starts[end.execution] = nil
        $0.notes.forget(end.execution)
      }
      $0.ends += ends
      $0.releases += releases
    }
  }

  package func flush(_ answer: @escaping @Sendable (Result<Void, JournalError>) -> Void) {
    add { $0.flushes.append(answer) }
  }

  /// Waits until all earlier records are written, or cannot be.
  package func wait() {
    let isDone = DispatchSemaphore(value: 0)
    flush { _ in isDone.signal() }
    isDone.wait()
  }

  package func finish(status: Int32) throws(JournalError) {
    try journal.finish(status: Int(status))
  }

  private func add(_ change: (inout Pending) -> Void) {
    let isIdle = pending.withLock { pending in
      change(&pending)
      defer { pending.isWriting = true }
      return !pending.isWriting
    }
    if isIdle { scheduler.schedule { [self] in write() } }
  }

  private func write() {
    while let work = take() { commit(work) }
  }

  /// The records to write now; nil if there are none. Ends that could not be written wait for the
  /// next request, because an immediate retry would fail again.
  private func take() -> Pending? {
    pending.withLock { pending in
      if pending.isEmpty || (pending.hasFailed && !pending.isAsked) {
        pending.isWriting = false
        return nil
      }
      let work = pending
      pending = Pending()
      pending.isWriting = true
      pending.isTimed = work.isTimed
      return work
    }
  }

  private func commit(_ work: Pending) {
    do throws(JournalError) {
      try perform(work.jobs)
      var answers = try record(work)[...]
      for claim in work.claims {
        claim.answer(.success(Array(answers.prefix(claim.entries.count))))
        answers = answers.dropFirst(claim.entries.count)
      }
      for flush in work.flushes { flush(.success(())) }
    } catch {
      pending.withLock { pending in
        pending.ends = work.ends + pending.ends
        pending.releases = work.releases + pending.releases
        pending.hasFailed = true
      }
      onFailure(error)
      for claim in work.claims { claim.answer(.failure(error)) }
      for flush in work.flushes { flush(.failure(error)) }
    }
  }

  /// What is recorded rests upon the jobs before it: once one has failed, nothing is.
  private func perform(_ jobs: [Job]) throws(JournalError) {
    if let failed = failedJob.withLock({ $0 }) { throw failed }
    for job in jobs {
      do throws(JournalError) { try job(journal) } catch {
        failedJob.withLock { $0 = error }
        throw error
      }
    }
  }

  private func record(_ work: Pending) throws(JournalError) -> [Claim] {
    guard work.hasRecords else { return [] }
    do throws(JournalError) {
      return try journal.commit(
        starts: work.starts, ends: work.ends, releases: work.releases,
        claims: work.claims.flatMap(\.entries), reserved: work.reserved, notes: work.notes)
    } catch {
      // The results of executions matter more than their output, and need little space.
      guard case .full = error, !work.ends.isEmpty else { throw error }
      var ends = work.ends
      for index in ends.indices { ends[index].output = [] }
      try journal.commit(ends: ends, releases: work.releases, reserved: work.reserved)
      guard work.claims.isEmpty else { throw error }
      onFailure(error)
      return []
    }
  }
}
