import Digests
import Platform

/// What is known of the last execution of each command with each input, so that an execution that
/// would change nothing can be left out.
///
/// Between `begin` and `finish` nothing is known that would leave an execution out: after `kill -9` in
/// the middle the command is executed again. When two programs execute the same at the same time, the
/// one that finishes while the other has begun since keeps nothing, and takes away what the other has
/// kept. Belongs to one thread at a time.
public final class StateFile {
  /// What is kept of an execution.
  public struct Entry {
    /// What identifies the execution that wrote it.
    public let token: Int64
    /// What was kept; nil if nothing is known.
    public let record: [UInt8]?
    /// Why the record, if there is one, must not leave out an execution; nil if it may.
    public let reason: String?
    /// When it was last written or marked as used, in seconds since 1970.
    public let used: Double
  }

  /// Seconds after which an entry that was not used is removed: 90 days.
  public static let lifetime = 90.0 * 86_400
  /// The most entries that are kept: those that were used last.
  public static let capacity = 100_000

  /// Marks a database as one of states: "racs".
  private static let application = 0x7261_6373
  /// The version of the file.
  public static let version = 2
  /// How long to wait for another program that holds the file. An execution more costs less than a
  /// long wait.
  private static let patience = Duration.seconds(1)

  private let database: Database
  /// True once this program has removed what was not used for long.
  private var isPruned = false

  /// Opens the file.
  ///
  /// - Parameter isCreated: true to make it if there is none, readable for its owner only.
  /// - Throws: `JournalError` if it is damaged, of a later version, or cannot be used.
  public init(_ path: String, isCreated: Bool) throws(JournalError) {
    database = try Database(
      JournalFile(path, isCreated: isCreated), named: path, patience: Self.patience)
    try database.execute("BEGIN")
    let found = try database.number("PRAGMA user_version")
    let mark = try database.number("PRAGMA application_id")
    let tables = try database.number("SELECT count(*) FROM sqlite_schema")
    try database.execute("COMMIT")
    let isNew = mark == 0 && found == 0 && tables == 0
    guard isNew || mark == Self.application else { throw .foreign(path) }
    guard found <= Self.version else {
      throw .newer(path, version: found, known: Self.version)
    }
    guard isNew || found == Self.version else {
      throw .older(path, version: found)
    }
    if isNew { try prepare() }
    // Nothing waits for the disk, which would take longer than all else that restoring a small file does.
    // After a power failure commits may be lost, or the file damaged and begun again: that costs
    // executions, and no wrong answer, because records have digests and the files are compared anyway.
    try database.execute("PRAGMA synchronous = OFF")
    try database.execute("PRAGMA cell_size_check = ON")
    // Pages after which the commits beside the file are moved into it: 1 MiB.
    try database.execute("PRAGMA wal_autocheckpoint = 256")
  }

  private func prepare() throws(JournalError) {
    try database.patiently { () throws(JournalError) in
      try database.execute("PRAGMA journal_mode = WAL")
    }
    try database.transaction { () throws(JournalError) in
      try database.execute(
        """
        CREATE TABLE IF NOT EXISTS state(
          key BLOB PRIMARY KEY, token INTEGER NOT NULL, used REAL NOT NULL, record BLOB,
          digest BLOB, reason TEXT
        ) WITHOUT ROWID
        """)
      try database.execute("CREATE INDEX IF NOT EXISTS state_by_use ON state(used)")
      try database.execute("PRAGMA application_id = \(Self.application)")
      try database.execute("PRAGMA user_version = \(Self.version)")
    }
  }

  /// What is kept under a key; nil if it was never executed.
  ///
  /// - Throws: `JournalError.damaged` if it is not what was written.
  public func entry(of key: [UInt8]) throws(JournalError) -> Entry? {
    let found = try Statement(
      "SELECT token, record, digest, reason, used FROM state WHERE key = ?", in: database
    ).first(key) { row throws(JournalError) in
      (
        Entry(
          token: row.integer(0), record: row.isNull(1) ? nil : row.bytes(1),
          reason: row.isNull(3) ? nil : row.text(3), used: row.number(4)), row.bytes(2)
      )
    }
    guard let (entry, digest) = found else { return nil }
    if let record = entry.record, digest != Self.digest(key, record) {
      throw .damaged(database.path, detail: "a record is corrupted")
    }
    return entry
  }

  /// Replaces what is kept under a key, because an execution begins.
  ///
  /// - Parameters:
  ///   - record: what is known until the execution ends; nil if nothing is.
  ///   - reason: why the next execution must not be left out if this one does not end.
  /// - Returns: what `finish` needs.
  public func begin(
    _ key: [UInt8], _ record: [UInt8]? = nil, reason: String
  ) throws(JournalError) -> Int64 {
    let token = Self.newToken
    try write(key, token, record, reason)
    if !isPruned {
      isPruned = true
      try prune()
    }
    return token
  }

  /// Marks an entry as used, so that it is not removed.
  public func touch(_ key: [UInt8], at time: Double = WallClock.seconds) throws(JournalError) {
    try Statement("UPDATE state SET used = ? WHERE key = ?", in: database).run(time, key)
  }

  /// Removes what was not used for long: other inputs, commands that are gone, former folders.
  ///
  /// - Parameter capacity: the most entries to keep.
  func prune(capacity: Int = StateFile.capacity) throws(JournalError) {
    try Statement("DELETE FROM state WHERE used < ?", in: database)
      .run(WallClock.seconds - Self.lifetime)
    try Statement(
      """
      DELETE FROM state WHERE used <
        (SELECT used FROM state ORDER BY used DESC LIMIT 1 OFFSET ?)
      """, in: database
    ).run(Int64(capacity - 1))
  }

  private static var newToken: Int64 { Int64.random(in: .min ... .max) }

  /// Keeps what is known of an execution that has ended, unless another has begun meanwhile. Then
  /// nothing is kept of the other either: each may have changed what the other has made.
  ///
  /// - Parameters:
  ///   - record: what is known; nil if nothing is.
  ///   - reason: why the next execution must not be left out; nil if it may.
  public func finish(
    _ key: [UInt8], _ token: Int64, _ record: [UInt8]?, reason: String? = nil
  ) throws(JournalError) {
    try database.transaction { () throws(JournalError) in
      let current = try Statement("SELECT token FROM state WHERE key = ?", in: database)
        .first(key) { row throws(JournalError) in row.integer(0) }
      let isOwn = current == token
      let kept = isOwn ? record : nil
      let why =
        isOwn ? reason : "two executions took place at the same time, so neither was kept"
      try write(key, isOwn ? token : Self.newToken, kept, why)
    }
  }

  private func write(
    _ key: [UInt8], _ token: Int64, _ record: [UInt8]?, _ reason: String?
  ) throws(JournalError) {
    try Statement(
      """
      INSERT OR REPLACE INTO state(key, token, used, record, digest, reason)
      VALUES(?, ?, ?, ?, ?, ?)
      """, in: database
    ).run(
      key, token, WallClock.seconds, record, record.map { Self.digest(key, $0) }, reason)
  }

  /// Replaces a record by one of the same execution, unless another has begun meanwhile.
  public func refresh(
    _ key: [UInt8], _ token: Int64, _ record: [UInt8]
  ) throws(JournalError) {
    try Statement(
      "UPDATE state SET record = ?, digest = ? WHERE key = ? AND token = ? AND record IS NOT NULL",
      in: database
    ).run(record, Self.digest(key, record), key, token)
  }

  private static func digest(_ key: [UInt8], _ record: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    digest.update(key)
    record.withUnsafeBytes { digest.update($0) }
    return digest.finish()
  }
}

extension StateFile {
  /// Renames a file that cannot be used to `PATH.damaged`, with the files that SQLite keeps beside it,
  /// unless another program has replaced it meanwhile.
  ///
  /// - Parameter inode: that of the file which cannot be used.
  /// - Returns: false if it cannot be renamed; `errno` says why.
  public static func setAside(_ path: String, inode: UInt64) -> Bool {
    let folder = path.cut(atLast: "/").map { String($0.before) } ?? "."
    // Programs that find the damage at the same time must not remove each other's new file.
    let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { unlockAndClose(descriptor) }
    guard flock(descriptor, LOCK_EX) == 0 else { return false }
    guard Self.inode(path) == inode else { return true }
    for suffix in ["-wal", "-shm", ""] {
      let aside = path + ".damaged" + suffix
      if rename(path + suffix, aside) == 0 { continue }
      guard errno == ENOENT else { return false }
      // That of an earlier file.
      unlink(aside)
    }
    return true
  }

  /// The inode of the file at a path; nil if there is none.
  public static func inode(_ path: String) -> UInt64? {
    var information = stat()
    return stat(path, &information) == 0 ? UInt64(information.st_ino) : nil
  }
}
