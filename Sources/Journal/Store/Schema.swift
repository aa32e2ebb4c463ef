/// The tables of a journal, and how older ones become today's.
enum Schema {
  /// Marks a database as a journal: "racl".
  static let application = 0x7261_636C

  /// Each step leads from the version of its index to the next. Steps are never changed once they
  /// were released; new ones follow at the end.
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
  ]

  static var version: Int { steps.count }

  /// Makes a database today's journal.
  ///
  /// - Throws: if it is none, damaged, or newer than this program.
  static func prepare(_ database: Database) throws(JournalError) {
    try check(database)
    guard try database.number("PRAGMA user_version") < version else { return }
    if database.isReadOnly { throw .readOnly(database.path) }
    // WAL: a commit is one sync, readers do not wait, and what was not synced is dropped as a whole.
    try database.patiently { () throws(JournalError) in
      try database.execute("PRAGMA journal_mode = WAL")
    }
    try database.transaction { () throws(JournalError) in
      // Another program may have come first.
      let found = try database.number("PRAGMA user_version")
      for step in steps.dropFirst(found) { try database.execute(step) }
      try database.execute("PRAGMA application_id = \(application)")
      try database.execute("PRAGMA user_version = \(version)")
    }
  }

  private static func check(_ database: Database) throws(JournalError) {
    // At one moment: another program may be making the journal just now.
    try database.execute("BEGIN")
    let found = try database.number("PRAGMA user_version")
    let mark = try database.number("PRAGMA application_id")
    let tables = try database.number("SELECT count(*) FROM sqlite_schema")
    try database.execute("COMMIT")
    guard mark == application || (mark == 0 && found == 0 && tables == 0) else {
      throw .foreign(database.path)
    }
    guard found <= version else { throw .newer(database.path, version: found, known: version) }
  }

  /// Looks through all of a journal before work is entrusted to it.
  ///
  /// - Throws: if it is damaged.
  static func examine(_ database: Database) throws(JournalError) {
    let verdict = try database.text("PRAGMA quick_check(1)")
    if verdict != "ok" { throw .damaged(database.path, detail: verdict) }
  }
}
