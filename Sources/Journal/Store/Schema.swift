/// The tables of a journal, and the migration of older ones.
enum Schema {
  /// Marks a database as a journal: "racl".
  static let application = 0x7261_636C

  /// Each step migrates from the version of its index to the next. Released steps never change; new
  /// ones are appended.
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
      status INTEGER
    );
    CREATE TABLE execution(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      batch INTEGER NOT NULL REFERENCES batch(id),
      key BLOB NOT NULL,
      occurrence INTEGER NOT NULL,
      kind TEXT NOT NULL,
      command TEXT NOT NULL,
      input TEXT NOT NULL,
      name TEXT,
      plan TEXT NOT NULL,
      line INTEGER NOT NULL,
      state TEXT NOT NULL,
      claimed REAL NOT NULL,
      started REAL,
      duration REAL,
      attempts INTEGER NOT NULL DEFAULT 0,
      code INTEGER,
      error_kind TEXT,
      error TEXT,
      output BLOB
    );
    CREATE INDEX execution_by_entry ON execution(key, occurrence);
    CREATE INDEX execution_by_batch ON execution(batch);
    CREATE INDEX execution_running ON execution(batch) WHERE state = 'running';
    """,
    // Equal entries are counted instead of numbered.
    """
    DROP INDEX execution_by_entry;
    DROP INDEX execution_running;
    ALTER TABLE execution DROP COLUMN occurrence;
    CREATE INDEX execution_by_entry ON execution(key, batch);
    """,
    // Each row has a checksum, stored before the output, so that reading it does not read the
    // output. Clocks that were set back have left negative durations.
    """
    ALTER TABLE batch ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
    UPDATE batch SET checksum =
      row_checksum(id, plan, folder, arguments, jobs, started, ended, status);
    CREATE TABLE checked_execution(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      batch INTEGER NOT NULL REFERENCES batch(id),
      key BLOB NOT NULL,
      kind TEXT NOT NULL,
      command TEXT NOT NULL,
      input TEXT NOT NULL,
      name TEXT,
      plan TEXT NOT NULL,
      line INTEGER NOT NULL,
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
    INSERT INTO checked_execution
      SELECT id, batch, key, kind, command, input, name, plan, line, state, claimed, started,
        CASE WHEN duration < 0 THEN 0.0 ELSE duration END, attempts, code, error_kind, error,
        row_checksum(output), 0, output FROM execution;
    UPDATE checked_execution SET checksum = row_checksum(
      id, batch, key, kind, command, input, name, plan, line, state, claimed, started, duration,
      attempts, code, error_kind, error, output_checksum);
    INSERT OR IGNORE INTO sqlite_sequence SELECT 'checked_execution', 0
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'checked_execution');
    UPDATE sqlite_sequence SET seq = coalesce(
      (SELECT seq FROM sqlite_sequence AS old WHERE old.name = 'execution'), seq)
      WHERE name = 'checked_execution';
    DROP TABLE execution;
    ALTER TABLE checked_execution RENAME TO execution;
    CREATE INDEX execution_by_entry ON execution(key, batch);
    CREATE INDEX execution_by_batch ON execution(batch);
    CREATE TABLE process_group(
      execution INTEGER NOT NULL,
      leader INTEGER NOT NULL,
      started INTEGER NOT NULL,
      session INTEGER NOT NULL,
      system TEXT NOT NULL,
      checksum INTEGER NOT NULL,
      PRIMARY KEY(execution, leader)
    ) WITHOUT ROWID;
    """,
    // Keys are digests. The index is cut into runs of executions that follow each other, so that new
    // rows go to the pages of the last run and not to pages all over it.
    """
    DROP INDEX execution_by_entry;
    CREATE INDEX execution_by_entry ON execution(id >> 16, key, batch);
    """,
  ]

  static var version: Int { steps.count }

  /// Migrates a database to the current version of the journal.
  ///
  /// - Throws: if it is not a journal, is damaged, or is newer than this program.
  static func prepare(_ database: Database) throws(JournalError) {
    let found = try check(database)
    guard found < version else { return }
    if database.file?.isOnReadOnlyFileSystem == true { throw .readOnlyFileSystem(database.path) }
    if database.isReadOnly { throw .readOnly(database.path) }
    if found > 0, let file = database.file, Liveness.isHeldByEarlierVersion(file.path) {
      throw .heldByEarlierVersion(database.path)
    }
    // WAL: a commit takes one sync, readers do not wait, and a commit that was not synced is
    // dropped as a whole.
    try database.patiently { () throws(JournalError) in
      try database.execute("PRAGMA journal_mode = WAL")
    }
    try database.transaction { () throws(JournalError) in
      // Another program may have migrated it first.
      let found = try database.number("PRAGMA user_version")
      for step in steps.dropFirst(max(0, found)) { try database.execute(step) }
      // Records are checked before they get a checksum.
      if found > 0 {
        try RecordedBatch.checkAll(in: database)
        try RecordedExecution.check(in: database)
      }
      try database.execute("PRAGMA application_id = \(application)")
      try database.execute("PRAGMA user_version = \(version)")
    }
  }

  /// - Returns: the version of the journal; 0 for an empty file.
  static func check(_ database: Database) throws(JournalError) -> Int {
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
    guard found <= version else { throw .newer(database.path, version: found, known: version) }
    guard found > 0 || (found == 0 && tables == 0) else {
      throw .damaged(database.path, detail: "its version is \(found)")
    }
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
      try RecordedExecution.check(RecordedExecution.isChanged, in: database)
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
