/// A journal's database and the batch that writes to it. Belongs to one thread at a time.
final class Store {
  let database: Database
  let liveness: Liveness
  private var batch: Batch?

  /// What the batch at work needs to write.
  private struct Batch {
    let id: Int64
    let isResuming: Bool
    /// The batches that were at work when this one began.
    let companions: Set<Int64>
    let statements: Statements
  }

  init(_ path: String, isCreated: Bool, fileSystem: String?) throws(JournalError) {
    database = try Database(path, isCreated: isCreated, fileSystem: fileSystem)
    try Schema.prepare(database)
    try database.execute("PRAGMA synchronous = FULL")
    liveness = Liveness(besides: path)
  }

  // MARK: Batches

  func begin(_ batch: BatchDescription, isResuming: Bool) throws(JournalError) -> Int64 {
    if database.isReadOnly { throw .readOnly(database.path) }
    // What one plan has named so far. Not in memory, for a plan may have millions of lines.
    try database.execute(
      """
      PRAGMA temp_store = FILE;
      CREATE TEMP TABLE seen(key BLOB PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
      """)
    let (id, companions) = try database.transaction {
      () throws(JournalError) -> (Int64, Set<Int64>) in
      let companions = try markInterrupted()
      try Statement(
        """
        INSERT INTO batch(plan, folder, arguments, jobs, started) VALUES(?, ?, ?, ?, ?)
        """, in: database
      ).run(
        batch.plan, batch.folder, batch.arguments.joined(separator: "\0"), batch.jobs,
        secondsSince1970())
      let id = database.lastRow
      // Inside the transaction: nobody sees the batch before it is known to be alive.
      let code = liveness.hold(id)
      guard code == 0 else {
        throw .unavailable(database.path, reason: "its lock: \(systemText(code))")
      }
      return (id, companions)
    }
    self.batch = Batch(
      id: id, isResuming: isResuming, companions: companions,
      statements: try Statements(database))
    return id
  }

  /// Marks what dead batches have left behind.
  ///
  /// - Returns: the batches that are at work.
  private func markInterrupted() throws(JournalError) -> Set<Int64> {
    var alive: Set<Int64> = []
    var dead: [Int64] = []
    try Statement("SELECT id FROM batch WHERE ended IS NULL", in: database).forEach {
      let id = $0.integer(0)
      if liveness.isAlive(id) { alive.insert(id) } else { dead.append(id) }
      return true
    }
    let marking = try Statement(
      "UPDATE execution SET state = 'interrupted' WHERE batch = ? AND state = 'running'",
      in: database)
    let ending = try Statement(
      """
      UPDATE batch SET ended = coalesce(
        (SELECT max(coalesce(started + duration, claimed)) FROM execution WHERE batch = batch.id),
        started) WHERE id = ?
      """, in: database)
    for id in dead {
      try marking.run(id)
      try ending.run(id)
    }
    return alive
  }

  func finish(status: Int) throws(JournalError) {
    guard let batch else { return }
    defer {
      self.batch = nil
      liveness.release()
    }
    let id = batch.id
    try database.transaction { () throws(JournalError) in
      try Statement("UPDATE batch SET ended = ?, status = ? WHERE id = ?", in: database)
        .run(secondsSince1970(), status, id)
    }
  }

  // MARK: Commits

  func commit(
    ends: [ExecutionEnd], releases: [Int64], claims: [PlanEntry]
  ) throws(JournalError) -> [Claim] {
    guard let batch else { preconditionFailure("a commit needs a batch") }
    let now = secondsSince1970()
    return try database.transaction { () throws(JournalError) -> [Claim] in
      for end in ends { try record(end, batch.statements) }
      for release in releases { try batch.statements.release.run(release) }
      guard !claims.isEmpty else { return [] }
      var others = Others(batch, liveness)
      try others.look(batch.statements)
      var answers: [Claim] = []
      answers.reserveCapacity(claims.count)
      for claim in claims { answers.append(try answer(claim, batch, others, now)) }
      return answers
    }
  }

  private func record(_ end: ExecutionEnd, _ statements: Statements) throws(JournalError) {
    try statements.end.run(
      end.state.rawValue, end.started, end.duration, end.attempts, end.code, end.errorKind,
      end.error,
      RecordedLine.blob(of: end.output), end.execution)
  }

  private func answer(
    _ entry: PlanEntry, _ batch: Batch, _ others: Others, _ now: Double
  ) throws(JournalError) -> Claim {
    let statements = batch.statements
    if let earlier = try statements.names.add(entry) { return earlier }
    // Equal entries are told apart by their number among their equals, which no order changes.
    let occurrence = try statements.count.first(entry.key.bytes) { $0.integer(0) } ?? 1
    if batch.isResuming || !others.isEmpty,
      let earlier = try earlier(entry, occurrence, batch, others)
    {
      return earlier
    }
    try statements.claim.run(
      batch.id, entry.key.bytes, occurrence, entry.kind.rawValue, entry.command, entry.input,
      entry.name, entry.plan, entry.line, now)
    return .granted(execution: database.lastRow)
  }

  /// Whether an entry is done or under way.
  private func earlier(
    _ entry: PlanEntry, _ occurrence: Int64, _ batch: Batch, _ others: Others
  ) throws(JournalError) -> Claim? {
    var found: Claim?
    try batch.statements.find.forEach(entry.key.bytes, occurrence) { row in
      let id = row.integer(0)
      let owner = row.integer(1)
      switch RecordedState(rawValue: row.text(2)) {
      case .completed
      where batch.isResuming || owner > batch.id || batch.companions.contains(owner):
        found = .completed(execution: id)
      case .running where others.alive.contains(owner): found = .taken(batch: owner)
      default: return true
      }
      return false
    }
    return found
  }

  /// The other batches that matter to this one's claims.
  private struct Others {
    private let own: Int64
    private let liveness: Liveness
    private let companions: Set<Int64>
    /// Those at work now.
    private(set) var alive: Set<Int64> = []
    /// Whether any was at work at the same time as this one.
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

/// The statements of a batch's commits, compiled once.
private final class Statements {
  let claim, end, release, find, count, others: Statement
  let names: PlanNames

  init(_ database: Database) throws(JournalError) {
    claim = try Statement(
      """
      INSERT INTO execution(
        batch, key, occurrence, kind, command, input, name, plan, line, state, claimed)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?)
      """, in: database)
    end = try Statement(
      """
      UPDATE execution SET state = ?, started = ?, duration = ?, attempts = ?, code = ?, error_kind = ?,
        error = ?, output = ? WHERE id = ?
      """, in: database)
    release = try Statement("DELETE FROM execution WHERE id = ?", in: database)
    find = try Statement(
      """
      SELECT id, batch, state FROM execution WHERE key = ? AND occurrence = ? ORDER BY id DESC
      """, in: database)
    count = try Statement(
      """
      INSERT INTO temp.seen VALUES(?, 1)
      ON CONFLICT(key) DO UPDATE SET count = count + 1 RETURNING count
      """, in: database)
    names = try PlanNames(database)
    others = try Statement(
      "SELECT id, ended FROM batch WHERE id > ?1 OR (ended IS NULL AND id <> ?1)", in: database)
  }
}

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

private func systemText(_ code: Int32) -> String { String(cString: strerror(code)) }
