/// The tables of a journal, and the migration of older ones.
enum Schema {
  /// Marks a database as a journal: "racl".
  static let application = 0x7261_636C

  /// The first version that a release can have. Those before it were never released, and are refused.
  static let first = 5

  /// The first step makes the tables of version `first`; each of the others migrates from the version
  /// of its predecessor. Released steps never change; new ones are appended.
  ///
  /// A checksum is stored before the output, so that reading it does not read the output. The index of
  /// entries is cut into runs of executions that follow each other, so that new rows go to the pages of
  /// the last run and not to pages all over it: keys are digests.
  static let steps = [
    """
    CREATE TABLE batch(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      plan TEXT NOT NULL,
      folder TEXT NOT NULL,
      arguments TEXT NOT NULL,
      jobs INTEGER NOT NULL,
      started REAL NOT NULL,
      ended REAL,
      status INTEGER,
      checksum INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE execution(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      batch INTEGER NOT NULL REFERENCES batch(id),
      key BLOB NOT NULL,
      kind TEXT NOT NULL,
      command TEXT NOT NULL,
      input TEXT NOT NULL,
      name TEXT,
      plan TEXT NOT NULL,
      line INTEGER NOT NULL,
      requester TEXT,
      state TEXT NOT NULL,
      claimed REAL NOT NULL,
      started REAL,
      duration REAL,
      attempts INTEGER NOT NULL,
      code INTEGER,
      error_kind TEXT,
      error TEXT,
      output_checksum INTEGER NOT NULL,
      checksum INTEGER NOT NULL,
      output BLOB
    );
    INSERT INTO sqlite_sequence VALUES('execution', 0);
    CREATE INDEX execution_by_batch ON execution(batch);
    CREATE INDEX execution_by_entry ON execution(id >> 16, key, batch);
    CREATE TABLE process_group(
      execution INTEGER NOT NULL,
      leader INTEGER NOT NULL,
      started INTEGER NOT NULL,
      session INTEGER NOT NULL,
      system TEXT NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY(execution, leader)
    ) WITHOUT ROWID;
    """
  ]

  /// The version that this program writes.
  static let version = version(after: steps)

  private static func version(after steps: [String]) -> Int { first + steps.count - 1 }

  /// Migrates a database to the current version of the journal.
  ///
  /// - Parameter steps: those of the program; tests append one.
  /// - Throws: if it is not a journal, is damaged, is newer than this program, or was never released.
  static func prepare(
    _ database: Database, by steps: [String] = Self.steps
  ) throws(JournalError) {
    let version = version(after: steps)
    guard try check(database, known: version) < version else { return }
    if database.file?.isOnReadOnlyFileSystem == true { throw .readOnlyFileSystem(database.path) }
    if database.isReadOnly { throw .readOnly(database.path) }
    // WAL: a commit takes one sync, readers do not wait, and a commit that was not synced is
    // dropped as a whole.
    try database.patiently { () throws(JournalError) in
      try database.execute("PRAGMA journal_mode = WAL")
    }
    try database.transaction { () throws(JournalError) in
      // Another program may have migrated it first.
      let found = try database.number("PRAGMA user_version")
      for step in steps.dropFirst(max(0, found - first + 1)) { try database.execute(step) }
      try database.execute("PRAGMA application_id = \(application)")
      try database.execute("PRAGMA user_version = \(version)")
    }
  }

  /// - Returns: the version of the journal; 0 for an empty file.
  static func check(_ database: Database, known: Int = version) throws(JournalError) -> Int {
    // Reads both in one transaction: another program may be creating the journal at this moment.
    let (found, mark, tables) = try database.snapshot { () throws(JournalError) in
      (
        try database.number("PRAGMA user_version"), try database.number("PRAGMA application_id"),
        try database.number("SELECT count(*) FROM sqlite_schema")
      )
    }
    guard mark == application || (mark == 0 && found == 0 && tables == 0) else {
      throw .foreign(database.path)
    }
    guard found <= known else { throw .newer(database.path, version: found, known: known) }
    guard found > 0 || (found == 0 && tables == 0) else {
      throw .damaged(database.path, detail: "its version is \(found)")
    }
    guard found == 0 || found >= first else { throw .older(database.path, version: found) }
    return found
  }

  /// Checks the records that a batch relies on before it begins: every index has to find every row,
  /// because the decision which entries are done depends on that.
  ///
  /// - Throws: if they are damaged.
  static func examine(
    _ database: Database, for kind: BatchKind
  ) throws(JournalError) {
    switch kind {
    case .run: break
    case .batch: try examine(database, by: "quick_check")
    case .resumption:
      try examineIndexes(database)
      try RecordedBatch.checkAll(in: database)
      try RecordedExecution.checkChanged(in: database)
    }
  }

  /// Does what `PRAGMA integrity_check` does, in less time for the executions.
  private static func examineIndexes(_ database: Database) throws(JournalError) {
    try examine(database, by: "quick_check")
    try examine(database, by: "integrity_check", "process_group")
    let passes = try database.snapshot { () throws(JournalError) in
      try IndexCheck.passes(in: database)
    }
    // It names what is damaged.
    if !passes { try examine(database, by: "integrity_check") }
  }

  private static func examine(
    _ database: Database, by check: String, _ part: String = "1"
  ) throws(JournalError) {
    let verdict = try database.text("PRAGMA \(check)(\(part))")
    if verdict != "ok" { throw .damaged(database.path, detail: verdict) }
  }
}
