import CSQLite
import Platform

/// A connection to an SQLite database. Belongs to one thread at a time.
final class Database {
  let handle: OpaquePointer
  /// The path as the user named it, for messages.
  let path: String
  /// The database's file; nil for a database in a temporary file that is deleted with it.
  let file: JournalFile?
  /// How long to wait for another program that holds the database.
  private let patience: Duration

  /// Opens a database in an existing file.
  ///
  /// - Parameters:
  ///   - fileSystem: the name of an SQLite file system; nil for the system's own.
  ///   - patience: how long to wait for another program that holds the database.
  convenience init(
    _ file: JournalFile, named path: String, fileSystem: String? = nil,
    patience: Duration = .seconds(60)
  ) throws(JournalError) {
    try self.init(location: Self.location(of: file), path, file, fileSystem, patience)
  }

  /// Opens an empty temporary database.
  convenience init() throws(JournalError) {
    // An empty path makes a temporary file that is deleted with its connection.
    try self.init(location: "", "a temporary file", nil, nil, .seconds(60))
  }

  private init(
    location: String, _ path: String, _ file: JournalFile?, _ fileSystem: String?,
    _ patience: Duration
  ) throws(JournalError) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
    let code = sqlite3_open_v2(location, &handle, flags, fileSystem)
    guard let handle else { throw .unavailable(path, reason: "not enough memory") }
    guard code == SQLITE_OK else {
      defer { sqlite3_close_v2(handle) }
      throw Self.error(handle, path, file, code)
    }
    self.handle = handle
    self.path = path
    self.file = file
    self.patience = patience
    sqlite3_extended_result_codes(handle, 1)
    csqlite_distrust_schema(handle)
    guard RowChecksum.install(on: handle) == SQLITE_OK else {
      throw .unavailable(path, reason: "not enough memory")
    }
    // SQLite's own handler sleeps up to a tenth of a second; a batch that commits continuously
    // would never leave a gap that long.
    sqlite3_busy_handler(
      handle,
      { database, count in
        guard let database else { return 0 }
        return Unmanaged<Database>.fromOpaque(database).takeUnretainedValue().waits(count) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Waits a moment for another program that holds the database.
  ///
  /// - Parameter count: the number of moments before it.
  /// - Returns: false to give up.
  private func waits(_ count: Int32) -> Bool {
    let moment = Duration.milliseconds(2)
    usleep(2_000)
    let waited = moment * Int(count)
    if waited >= JournalWait.untold {
      if waited - moment < JournalWait.untold, patience > waited { JournalWait.tell(path) }
      // A wait as short as those between batches must not cost a record at the end of a run.
      if JournalWait.isEndRequested { return false }
    }
    return waited < patience
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  /// The file as a URI. In a read-only place, SQLite could not create the files that it keeps
  /// beside a journal, so it reads the journal without them if there are none.
  private static func location(of file: JournalFile) -> String {
    var uri = "file:"
    for byte in file.path.exactBytes {
      let character = Character(Unicode.Scalar(byte))
      if byte < 0x80, character.isLetter || character.isNumber || "/-._~".contains(character) {
        uri.append(character)
      } else {
        uri += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    var information = stat()
    let hasCommitsBeside = stat(file.path + "-wal", &information) == 0 && information.st_size > 0
    return uri + (file.isOnReadOnlyFileSystem && !hasCommitsBeside ? "?immutable=1" : "")
  }

  /// Executes statements that return nothing.
  func execute(_ sql: String) throws(JournalError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw error(code) }
  }

  /// Retries `body` until no other program blocks it, in cases that SQLite refuses at once instead
  /// of waiting: a reader that wants to write might wait for another that does the same.
  func patiently(_ body: () throws(JournalError) -> Void) throws(JournalError) {
    let start = ContinuousClock.now
    while true {
      do {
        return try body()
      } catch {
        // The busy handler may have waited as long as there is patience.
        guard case .busy = error, ContinuousClock.now - start < patience,
          !JournalWait.isEndRequested
        else { throw error }
        usleep(2_000)
      }
    }
  }

  /// The single number that a statement returns.
  func number(_ sql: String) throws(JournalError) -> Int {
    try Statement(sql, in: self).first { Int($0.integer(0)) } ?? 0
  }

  /// The single text that a statement returns.
  func text(_ sql: String) throws(JournalError) -> String {
    try Statement(sql, in: self).first { $0.text(0) } ?? ""
  }

  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Executes `body` in one write transaction, which is durable when this returns. Rolls everything
  /// back on failure.
  func transaction<Result>(
    _ body: () throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try transaction("BEGIN IMMEDIATE", body)
  }

  /// Executes `body` on one state of the database, while others write. It must not write.
  func snapshot<Result>(
    _ body: () throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try transaction("BEGIN", body)
  }

  private func transaction<Result>(
    _ begin: String, _ body: () throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try execute(begin)
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // SQLite may already have rolled back.
      if sqlite3_get_autocommit(handle) == 0 { _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  func error(_ code: Int32) -> JournalError { Self.error(handle, path, file, code) }

  private static func error(
    _ handle: OpaquePointer, _ path: String, _ file: JournalFile?, _ code: Int32
  ) -> JournalError {
    let detail = String(cString: sqlite3_errmsg(handle))
    let isOnReadOnlyFileSystem = file?.isOnReadOnlyFileSystem == true
    switch code & 0xFF {
    case SQLITE_NOTADB: return .noDatabase(path)
    // The statements are correct, so the tables differ from the ones we created.
    case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH:
      return .damaged(path, detail: detail)
    case SQLITE_READONLY, SQLITE_CANTOPEN:
      if isOnReadOnlyFileSystem { return .readOnlyFileSystem(path) }
      if code & 0xFF == SQLITE_READONLY { return .readOnly(path) }
    case SQLITE_FULL: return .full(path)
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy(path)
    default: break
    }
    let number = sqlite3_system_errno(handle)
    switch number {
    case EROFS: return .readOnlyFileSystem(path)
    case EACCES where code & 0xFF != SQLITE_CANTOPEN: return .readOnly(path)
    default: return .unavailable(path, reason: number == 0 ? detail : systemErrorText(number))
    }
  }
}
