/// Counts, for equal entries, the executions that count as done and the entries that were skipped
/// because of them. So neither the order of a plan nor the place of the completed executions
/// matters. Confined to its database's thread.
final class Repetitions {
  /// The executions that count as done.
  struct Done {
    var count = 0
    /// The number of the latest one.
    var latest: Int64 = 0
  }

  /// The entries of a short plan, which are looked up one by one, and the most that are.
  static let shortPlan = 2_000
  static let mostLookUps = 8_192

  private let find, insert, count, others, seen: Statement
  private let database: Database
  /// The number of entries that were asked for.
  private var askedFor = 0
  /// The most executions of earlier batches that are counted in memory.
  private let most: Int
  /// What earlier batches have completed, for a batch that is alone and long.
  private(set) var completed: CompletedBefore?
  /// The same in a table, if it is too much for the memory: gives number and latest of a key.
  private var sorted: Statement?

  /// Creates the table of a batch's repetitions.
  static func prepare(_ database: Database) throws(JournalError) {
    try database.execute(
      """
      CREATE TEMP TABLE seen(
        key BLOB PRIMARY KEY, skipped INTEGER NOT NULL, done INTEGER NOT NULL, latest INTEGER NOT NULL
      ) WITHOUT ROWID
      """)
  }

  init(_ database: Database, most: Int = CompletedBefore.most) throws(JournalError) {
    self.database = database
    self.most = most
    find = try Statement(
      "SELECT skipped, done, latest FROM temp.seen WHERE key = ?", in: database)
    insert = try Statement("INSERT OR REPLACE INTO temp.seen VALUES(?, ?, ?, ?)", in: database)
    seen = try Statement("SELECT key, skipped FROM temp.seen", in: database)
    count = try Statement(
      Self.lookUp("count(*), max(equal.id)", "equal.batch < ?3 AND equal.state = 'completed'"),
      in: database)
    others = try Statement(
      Self.lookUp("equal.id, equal.batch", "equal.batch <> ?3 AND equal.state = ?4"), in: database)
  }

  /// A statement for the executions of the key ?2, from about the execution with the number ?1 on.
  private static func lookUp(_ columns: String, _ condition: String) -> String {
    EntryLookUp.sql(columns, key: "?2", from: "?1", where: condition)
  }

  /// The known counts for entries equal to this one.
  func known(_ key: EntryKey) throws(JournalError) -> (skipped: Int, done: Done?) {
    let skipped = completed?.skipped(key) ?? 0
    // The table and the memory take turns, and each begins with what the other has counted.
    return try find.first(key.bytes) {
      (max(skipped, Int($0.integer(0))), Done(count: Int($0.integer(1)), latest: $0.integer(2)))
    } ?? (skipped, nil)
  }

  /// Counts what earlier batches have completed, once the plan is long enough for the time that it
  /// takes to read the journal. Called outside of a transaction, because other batches write
  /// meanwhile.
  ///
  /// - Parameter executions: the number of executions in the journal.
  func expect(_ entries: Int, before batch: Int64, of executions: Int) throws(JournalError) {
    askedFor += entries
    // A look-up costs several times as much as reading a row, and more in a longer journal, whose
    // index has more runs.
    let lookUps = min(max(Self.shortPlan, executions / 64), Self.mostLookUps)
    guard completed == nil, sorted == nil, askedFor > lookUps else { return }
    completed = try CompletedBefore(before: batch, in: database, most: most)
    guard let completed else { return try sort(before: batch) }
    try seen.forEach { row in
      if let key = row.words(0) { completed.skip(key, times: Int32(row.integer(1))) }
      return true
    }
  }

  private func sort(before batch: Int64) throws(JournalError) {
    try database.execute(
      """
      CREATE TEMP TABLE completed(
        key BLOB PRIMARY KEY, done INTEGER NOT NULL, latest INTEGER NOT NULL) WITHOUT ROWID
      """)
    // In the order of the keys, which SQLite sorts for GROUP BY, and of the rows that it reads.
    try Statement(
      """
      INSERT INTO temp.completed SELECT key, count(*), max(id) FROM execution NOT INDEXED
        WHERE batch < ? AND state = 'completed' GROUP BY key
      """, in: database
    ).run(batch)
    sorted = try Statement("SELECT done, latest FROM temp.completed WHERE key = ?", in: database)
  }

  /// Keeps the counts of a transaction that is durable.
  func commit() { completed?.commit() }

  /// Takes back the counts of a transaction that was rolled back; SQLite does so with the table.
  func rollBack() { completed?.rollBack() }

  /// Notes the number of entries that were skipped because of completed executions.
  func note(_ key: EntryKey, skipped: Int, _ done: Done) throws(JournalError) {
    try insert.run(key.bytes, skipped, done.count, done.latest)
  }

  /// The executions that batches before this one have completed.
  func done(_ key: EntryKey, before batch: Int64) throws(JournalError) -> Done {
    if let sorted { return try sorted.first(key.bytes) { Done($0) } ?? Done() }
    return try count.first(0, key.bytes, batch) { Done($0) } ?? Done()
  }

  /// The executions that other batches have completed, of the batches that count.
  ///
  /// - Parameter first: a number that none of these executions is before.
  func done(
    _ key: EntryKey, besides batch: Int64, from first: Int64, where counts: (Int64) -> Bool
  ) throws(JournalError) -> Done {
    var done = Done()
    try others.forEach(first, key.bytes, batch, RecordedState.completed.rawValue) { row in
      if counts(row.integer(1)) {
        done.count += 1
        done.latest = max(done.latest, row.integer(0))
      }
      return true
    }
    return done
  }

  /// A batch that is running an equal entry, if more such executions run than entries were skipped
  /// for them.
  ///
  /// - Parameter first: a number that no execution of a batch that is running is before.
  func underWay(
    _ key: EntryKey, in alive: Set<Int64>, from first: Int64, beyond skipped: Int
  ) throws(JournalError) -> Int64? {
    var rest = skipped
    var owner: Int64?
    try others.forEach(first, key.bytes, -1, RecordedState.running.rawValue) { row in
      guard alive.contains(row.integer(1)) else { return true }
      rest -= 1
      owner = row.integer(1)
      return rest >= 0
    }
    return rest < 0 ? owner : nil
  }
}

extension Repetitions.Done {
  /// Reads both from the first columns of a row.
  fileprivate init(_ row: borrowing Row) {
    self.init(count: Int(row.integer(0)), latest: row.integer(1))
  }
}
