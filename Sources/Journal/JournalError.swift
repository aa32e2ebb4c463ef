/// Why a journal cannot be used. Each names the file.
public enum JournalError: Error, Sendable, Equatable {
  /// There is no such file, and none was to be made.
  case missing(String)
  /// It cannot be opened, read or written, for a reason of the system's.
  case unavailable(String, reason: String)
  /// The file is no database at all.
  case noDatabase(String)
  /// A database, but somebody else's.
  case foreign(String)
  /// Written by a later version of the program.
  case newer(String, version: Int, known: Int)
  /// The database is damaged.
  case damaged(String, detail: String)
  /// The file, its folder or its file system cannot be written to.
  case readOnly(String)
  /// The disk is full.
  case full(String)
  /// Another program holds the journal for too long.
  case busy(String)
}

extension JournalError: CustomStringConvertible {
  /// One readable line.
  public var description: String {
    switch self {
    case .missing(let path): "there is no journal '\(path)'"
    case .unavailable(let path, let reason): "cannot use the journal '\(path)': \(reason)"
    case .noDatabase(let path): "'\(path)' is not a journal: it is no SQLite database"
    case .foreign(let path): "'\(path)' is not a journal, but a database of another program"
    case .newer(let path, let version, let known):
      "the journal '\(path)' was written by a newer raclette: it has version \(version), this one "
        + "knows \(known)"
    case .damaged(let path, let detail):
      "the journal '\(path)' is damaged (\(detail)); move it away, or mend it with "
        + "'sqlite3 \(path) .recover'"
    case .readOnly(let path): "the journal '\(path)' cannot be written to: it is read-only"
    case .full(let path): "the journal '\(path)' cannot be written to: the disk is full"
    case .busy(let path): "the journal '\(path)' is held by another program"
    }
  }
}
