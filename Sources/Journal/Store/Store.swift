import Platform
/// A journal's database and the batch that writes to it. Used by one thread at a time.
final class Store {
  let database: Database
  let liveness: Liveness
  private var batch: Batch?

  /// The state that the running batch needs for writing.
  private struct Batch {
    let id: Int64
    let isResuming: Bool
    /// The batches that were running when this one began.
    let companions: Set<Int64>
    /// A number that no execution of a batch beside this one is before.
    let firstBeside: Int64
    let statements: Statements
    /// The number of the last execution, of any batch, during a commit.
    var lastExecution: Int64 = 0
  }

  init(_ path: String, isCreated: Bool, fileSystem: String?) throws(JournalError) {
    let file = try JournalFile(path, isCreated: isCreated)
    database = try Database(file, named: path, fileSystem: fileSystem)
    // Detects damaged pages instead of misreading them.
    try database.execute("PRAGMA cell_size_check = ON")
    try Schema.prepare(database)
    try database.execute("PRAGMA synchronous = FULL")
    liveness = Liveness(file)
  }

  // MARK: Batches

  func begin(_ batch: BatchDescription, as kind: BatchKind) throws(JournalError) -> Int64 {
    if database.file?.isOnReadOnlyFileSystem == true { throw .readOnlyFileSystem(database.path) }
    if database.isReadOnly { throw .readOnly(database.path) }
    try Schema.examine(database, for: kind)
    // Not in memory, because a plan may have millions of lines.
    try database.execute("PRAGMA temp_store = FILE")
    try fitToLongPlans()
    try Repetitions.prepare(database)
    let statements = try Statements(database)
    let (id, companions, firstBeside) = try database.transaction {
      () throws(JournalError) -> (Int64, Set<Int64>, Int64) in
      let companions = try markInterrupted()
      let firstBeside = try statements.firstExecution(of: companions)
      try Statement(
        """
        INSERT INTO batch(plan, folder, arguments, jobs, started, checksum)
          VALUES(?, ?, ?, ?, ?, 0)
        """, in: database
      ).run(
        batch.plan, batch.folder, batch.arguments.joined(separator: "\0"), batch.jobs,
        WallClock.seconds)
      let id = database.lastRow
      guard id < Liveness.capacity else {
        throw .damaged(database.path, detail: "its last batch has the number \(id - 1)")
      }
      try Statement(
        "UPDATE batch SET checksum = \(RowChecksums.ofBatch) WHERE id = ?", in: database
      ).run(id)
      // Inside the transaction: no process sees the batch before its lock is held.
      let code = liveness.hold(id)
      guard code == 0 else {
        throw .unavailable(database.path, reason: "its lock: \(systemErrorText(code))")
      }
      return (id, companions, firstBeside)
    }
    self.batch = Batch(
      id: id, isResuming: kind == .resumption, companions: companions, firstBeside: firstBeside,
      statements: statements)
    return id
  }

  /// The keys of entries are digests, so that each page of a run of their index is written again and
  /// again, in no order. Long plans therefore take checkpoints that write a page once for many commits,
  /// and a cache that holds the run and what look-ups read.
  private func fitToLongPlans() throws(JournalError) {
    for schema in ["main", "temp"] { try database.execute("PRAGMA \(schema).cache_size = -65536") }
    let pages = Self.pagesBetweenCheckpoints(whereFree: database.file?.freeBytes)
    try database.execute("PRAGMA wal_autocheckpoint = \(pages)")
  }

  /// The number of pages of 4 KiB that are written between checkpoints: 64 MiB, and a sixteenth of a disk
  /// with little room, as they are there twice until the checkpoint.
  static func pagesBetweenCheckpoints(whereFree bytes: Int?) -> Int {
    min(16_384, max(64, (bytes ?? .max) / 16 / 4_096))
  }

  /// The batches that are running.
  func aliveBatches() throws(JournalError) -> Set<Int64> {
    var alive: Set<Int64> = []
    try Statement("SELECT id FROM batch WHERE ended IS NULL", in: database).forEach { row in
      if liveness.isAlive(row.integer(0)) { alive.insert(row.integer(0)) }
      return true
    }
    return alive
  }

  /// Marks the unfinished executions of dead batches as interrupted.
  ///
  /// - Returns: the batches that are running.
  private func markInterrupted() throws(JournalError) -> Set<Int64> {
    let alive = try aliveBatches()
    var dead: [Int64] = []
    try Statement("SELECT id FROM batch WHERE ended IS NULL", in: database).forEach { row in
      if !alive.contains(row.integer(0)) { dead.append(row.integer(0)) }
      return true
    }
    let marking = try Statement(Self.interruption, in: database)
    let lastEnd = try Statement(
      """
      SELECT coalesce(
        (SELECT max(coalesce(started + duration, claimed)) FROM execution WHERE batch = batch.id),
        started) FROM batch WHERE id = ?
      """, in: database)
    for id in dead {
      try marking.run(id)
      let end = try lastEnd.first(id) { $0.number(0) } ?? 0
      try recordEnd(of: id, at: end, status: nil)
    }
    return alive
  }

  private static let interruption = """
    UPDATE execution SET \(RowChecksums.changes(["state": "'interrupted'"]))
      WHERE batch = ? AND state = 'running'
    """

  private func recordEnd(of batch: Int64, at time: Double, status: Int?) throws(JournalError) {
    try Statement(
      """
      UPDATE batch SET ended = ?2, status = ?3,
        checksum = row_checksum(id, plan, folder, arguments, jobs, started, ?2, ?3) WHERE id = ?1
      """, in: database
    ).run(batch, time, status)
  }

  func finish(status: Int) throws(JournalError) {
    guard let batch else { return }
    defer {
      self.batch = nil
      liveness.release()
    }
    let id = batch.id
    try database.transaction { () throws(JournalError) in
      // The executions whose end could not be recorded.
      try Statement(Self.interruption, in: database).run(id)
      try recordEnd(of: id, at: WallClock.seconds, status: status)
    }
    try checkPlace()
  }

  // MARK: Commits

  func commit(
    starts: [Int64: Double], ends: [ExecutionEnd], releases: [Int64], claims: [PlanEntry],
    reserved: [ReservedExecution], notes: ExecutionNotes
  ) throws(JournalError) -> [Claim] {
    guard let batch else { preconditionFailure("a commit needs a batch") }
    let now = WallClock.seconds
    let isSynced = !(starts.isEmpty && ends.isEmpty && releases.isEmpty && claims.isEmpty)
    if !isSynced { try database.execute("PRAGMA synchronous = NORMAL") }
    defer { if !isSynced { try? database.execute("PRAGMA synchronous = FULL") } }
    if batch.isResuming, batch.companions.isEmpty, !claims.isEmpty {
      try batch.statements.repetitions.expect(
        claims.count, before: batch.id, of: Int(try batch.statements.lastExecution()))
    }
    let answers = try transaction(batch.statements.repetitions) {
      () throws(JournalError) -> [Claim] in
      for execution in reserved {
        try insert(
          execution.entry, as: execution.execution, in: batch, at: execution.claimed)
      }
      for (execution, time) in starts { try batch.statements.start.run(time, execution) }
      try batch.statements.notes.record(notes)
      for end in ends { try record(end, batch.statements) }
      for release in releases { try batch.statements.release.run(release) }
      guard !claims.isEmpty else { return [] }
      var batch = batch
      batch.lastExecution = try batch.statements.lastExecution()
      var others = Others(batch, liveness)
      try others.look(batch.statements)
      var answers: [Claim] = []
      answers.reserveCapacity(claims.count)
      for claim in claims { answers.append(try answer(claim, &batch, others, now)) }
      return answers
    }
    try checkPlace()
    return answers
  }

  /// Throws if the file is no longer where others look for it: nobody would find what is written.
  private func checkPlace() throws(JournalError) {
    if let file = database.file, !file.isInPlace { throw .displaced(database.path) }
  }

  /// Executes `body` in a transaction, whose counts in memory last as the others do.
  private func transaction<Result>(
    _ repetitions: Repetitions, _ body: () throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    do throws(JournalError) {
      let result = try database.transaction(body)
      repetitions.commit()
      return result
    } catch {
      repetitions.rollBack()
      throw error
    }
  }

  private func record(_ end: ExecutionEnd, _ statements: Statements) throws(JournalError) {
    try statements.end.run(
      end.key?.bytes, end.state.rawValue, end.started, max(0, end.duration), end.attempts, end.code,
      end.errorKind, end.error, RecordedLine.blob(of: end.output), end.execution)
    try statements.notes.forget(end.execution)
  }

  private func answer(
    _ entry: PlanEntry, _ batch: inout Batch, _ others: Others, _ now: Double
  ) throws(JournalError) -> Claim {
    let statements = batch.statements
    if let earlier = try statements.names.add(entry) {
      return .repeatedName(
        execution: try insert(entry, &batch, now), line: earlier.line, plan: earlier.plan)
    }
    if batch.isResuming || !others.isEmpty,
      let earlier = try earlier(entry, batch, others)
    {
      return earlier
    }
    return .granted(execution: try insert(entry, &batch, now))
  }

  private func insert(
    _ entry: PlanEntry, _ batch: inout Batch, _ now: Double
  ) throws(JournalError) -> Int64 {
    batch.lastExecution += 1
    try insert(entry, as: batch.lastExecution, in: batch, at: now)
    return batch.lastExecution
  }

  private func insert(
    _ entry: PlanEntry, as execution: Int64, in batch: Batch, at time: Double
  ) throws(JournalError) {
    try batch.statements.claim.run(
      execution, batch.id, entry.key.bytes, entry.kind.rawValue, entry.command, entry.input,
      entry.name, entry.plan, entry.line, entry.requester, time)
  }

  func reserve(_ count: Int) throws(JournalError) -> Range<Int64> {
    if database.file?.isOnReadOnlyFileSystem == true { throw .readOnlyFileSystem(database.path) }
    if database.isReadOnly { throw .readOnly(database.path) }
    let reserving = try Statement(
      "UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'execution' RETURNING seq",
      in: database)
    return try database.transaction { () throws(JournalError) in
      let last = try reserving.first(count) { $0.integer(0) } ?? 0
      guard (Int64(count)..<Int64.max / 2).contains(last) else {
        throw .damaged(database.path, detail: "its last execution has the number \(last)")
      }
      return last - Int64(count) + 1..<last + 1
    }
  }

  /// Determines whether an entry is done or in progress: if there are more such executions of equal
  /// entries than entries that were skipped because of them.
  private func earlier(
    _ entry: PlanEntry, _ batch: Batch, _ others: Others
  ) throws(JournalError) -> Claim? {
    let repetitions = batch.statements.repetitions
    if others.isEmpty, let completed = repetitions.completed {
      return completed.skip(entry.key).map { .completed(execution: $0) }
    }
    var known = try repetitions.known(entry.key)
    if !others.isEmpty {
      known.done = try repetitions.done(
        entry.key, besides: batch.id, from: batch.isResuming ? 0 : batch.firstBeside
      ) { batch.isResuming || $0 > batch.id || batch.companions.contains($0) }
    } else if known.done == nil {
      known.done = try repetitions.done(entry.key, before: batch.id)
    }
    if let done = known.done, done.count > known.skipped {
      try repetitions.note(entry.key, skipped: known.skipped + 1, done)
      return .completed(execution: done.latest)
    }
    guard !others.alive.isEmpty,
      let owner = try repetitions.underWay(
        entry.key, in: others.alive, from: batch.firstBeside,
        beyond: known.skipped - (known.done?.count ?? 0))
    else { return nil }
    // The caller will request it again.
    try batch.statements.names.remove(entry)
    return .taken(batch: owner)
  }

  /// The other batches that affect this batch's claims.
  private struct Others {
    private let own: Int64
    private let liveness: Liveness
    private let companions: Set<Int64>
    /// The batches that are running now.
    private(set) var alive: Set<Int64> = []
    /// True if any batch has run at the same time as this one.
    private var haveBeen = false

    init(_ batch: Batch, _ liveness: Liveness) {
      own = batch.id
      companions = batch.companions
      self.liveness = liveness
    }

    var isEmpty: Bool { !haveBeen }

    mutating func look(_ statements: Statements) throws(JournalError) {
      haveBeen = !companions.isEmpty
      var found: Set<Int64> = []
      var isLater = false
      try statements.others.forEach(own) { row in
        let id = row.integer(0)
        if id > own { isLater = true }
        if row.isNull(1), liveness.isAlive(id) { found.insert(id) }
        return true
      }
      haveBeen = haveBeen || isLater || !found.isEmpty
      alive = found
    }
  }
}
