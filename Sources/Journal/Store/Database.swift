import CSQLite
import Platform

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A connection to an SQLite database. Belongs to one thread at a time.
final class Database {
  let handle: OpaquePointer
  let path: String

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - isCreated: whether the file is made if it is missing.
  ///   - fileSystem: the name of an SQLite file system; nil for the system's own.
  init(_ path: String, isCreated: Bool, fileSystem: String? = nil) throws(JournalError) {
    var information = stat()
    if !isCreated, stat(path, &information) != 0, errno == ENOENT { throw .missing(path) }
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | (isCreated ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_NOMUTEX
    let code = path.withCBytes { sqlite3_open_v2($0, &handle, flags, fileSystem) }
    guard let handle else { throw .unavailable(path, reason: "not enough memory") }
    guard code == SQLITE_OK else {
      defer { sqlite3_close_v2(handle) }
      throw Self.openingError(path) ?? Self.error(handle, path, code)
    }
    self.handle = handle
    self.path = path
    sqlite3_extended_result_codes(handle, 1)
    // SQLite's own handler sleeps up to a tenth of a second, in which another batch that commits all
    // the time would never leave a gap. About a minute in all.
    sqlite3_busy_handler(
      handle,
      { _, count in
        usleep(2_000)
        return count < 30_000 ? 1 : 0
      }, nil)
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  /// Executes statements that return nothing.
  func execute(_ sql: String) throws(JournalError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw error(code) }
  }

  /// Executes `body` until no other program is in its way, for what SQLite refuses at once instead of
  /// waiting: who reads and wants to write might wait for another who does the same.
  func patiently(_ body: () throws(JournalError) -> Void) throws(JournalError) {
    let start = ContinuousClock.now
    while true {
      do {
        return try body()
      } catch {
        // The handler may have waited for all of it.
        guard case .busy = error, ContinuousClock.now - start < .seconds(60) else { throw error }
        usleep(2_000)
      }
    }
  }

  /// The one number that a statement returns.
  func number(_ sql: String) throws(JournalError) -> Int {
    try Statement(sql, in: self).first { Int($0.integer(0)) } ?? 0
  }

  /// The one text that a statement returns.
  func text(_ sql: String) throws(JournalError) -> String {
    try Statement(sql, in: self).first { $0.text(0) } ?? ""
  }

  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Executes `body` in one transaction that may write, which is durable when this returns. Takes
  /// everything back if it fails.
  func transaction<Result>(
    _ body: () throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // SQLite may have rolled back by itself.
      if sqlite3_get_autocommit(handle) == 0 { _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  func error(_ code: Int32) -> JournalError { Self.error(handle, path, code) }

  /// Why a file cannot be opened. SQLite tries again without writing, and knows only why that failed.
  private static func openingError(_ path: String) -> JournalError? {
    if path.isEmpty { return nil }
    let descriptor = Platform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor < 0 else {
      close(descriptor)
      return nil
    }
    return errno == EROFS ? .readOnly(path) : .unavailable(path, reason: systemText(errno))
  }

  static func systemText(_ code: Int32) -> String {
    String(cString: strerror(code)).lowercased()
  }

  private static func error(_ handle: OpaquePointer, _ path: String, _ code: Int32) -> JournalError
  {
    let detail = String(cString: sqlite3_errmsg(handle))
    switch code & 0xFF {
    case SQLITE_NOTADB: return .noDatabase(path)
    case SQLITE_CORRUPT: return .damaged(path, detail: detail)
    case SQLITE_READONLY: return .readOnly(path)
    case SQLITE_FULL: return .full(path)
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy(path)
    default:
      let number = sqlite3_system_errno(handle)
      if number == EROFS || number == EACCES && code & 0xFF != SQLITE_CANTOPEN {
        return .readOnly(path)
      }
      return .unavailable(
        path, reason: number == 0 ? detail : systemText(number))
    }
  }
}
