import Platform

/// The reason a journal cannot be used. Each case names the file.
public enum JournalError: Error, Sendable, Equatable {
  /// The file does not exist and was not to be created.
  case missing(String)
  /// The file cannot be opened, read or written, because of a system error.
  case unavailable(String, reason: String)
  /// The file system offers no locks.
  case noLocks(String)
  /// The file is not a database.
  case noDatabase(String)
  /// The file is a database, but not a journal.
  case foreign(String)
  /// The journal was written by a later version of the program.
  case newer(String, version: Int, known: Int)
  /// The file has a version that no release has written and this program does not read.
  case older(String, version: Int)
  /// The database is damaged.
  case damaged(String, detail: String)
  /// One record is damaged or was forged.
  case damagedRecord(String, JournalRecord, detail: String)
  /// The file or its folder cannot be written to.
  case readOnly(String)
  /// The file system cannot be written to.
  case readOnlyFileSystem(String)
  /// The path leads to a folder, a device or something else that is not a regular file.
  case noFile(String)
  /// The file has several names through hard links.
  case severalNames(String, count: Int)
  /// The file was mounted on its own, without its folder.
  case mountedAlone(String)
  /// The file was removed, moved or replaced while it was in use.
  case displaced(String)
  /// The disk is full.
  case full(String)
  /// Another program has locked the journal for too long.
  case busy(String)
}

extension JournalError: CustomStringConvertible {
  /// One readable line.
  public var description: String {
    switch self {
    case .missing(let path):
      "there is no journal '\(path)'; a batch records one with --journal or --resume"
    case .unavailable(let path, let reason): "cannot use the journal '\(path)': \(reason)"
    case .noLocks(let path):
      "cannot use the journal '\(path)': its file system does not support locks; put it on "
        + "another one, such as a local disk"
    case .noDatabase(let path): "'\(path)' is not a journal: it is not an SQLite database"
    case .foreign(let path): "'\(path)' is not a journal, but a database of another program"
    case .newer(let path, let version, let known):
      "the journal '\(path)' was written by a newer raclette: it has version \(version), this one "
        + "knows \(known)"
    case .older(let path, let version):
      "the journal '\(path)' has version \(version), which no release of raclette has written; move it "
        + "away, and the next use creates a new one"
    case .damaged(let path, let detail):
      "the journal '\(path)' is damaged (\(detail)); move it away; what can still be read of it is "
        + "printed by: sqlite3 \(path.quotedForShell) .dump"
    case .damagedRecord(let path, let record, let detail):
      "the journal '\(path)' is damaged, at \(record): \(detail); without that record the rest can be "
        + "used: sqlite3 \(path.quotedForShell) "
        + "'DELETE FROM \(record.table) WHERE \(record.condition)'" + record.consequence
    case .readOnly(let path): "the journal '\(path)' cannot be written to: it is read-only"
    case .readOnlyFileSystem(let path):
      "the journal '\(path)' cannot be written to: its file system is read-only"
    case .noFile(let path): "'\(path)' is not a journal: it is not a file"
    case .severalNames(let path, let count):
      "the journal '\(path)' has \(count) names (hard links), and what is written under one would be "
        + "missing under the others; keep one name, and use symbolic links to it"
    case .mountedAlone(let path):
      "the journal '\(path)' is mounted without its folder, where the last commits are kept; mount "
        + "the folder"
    case .displaced(let path):
      "the journal '\(path)' was removed, moved or replaced while the batch ran; if it was moved, move "
        + "it back next to '\(path)-wal', which has the latest records"
    case .full(let path): "the journal '\(path)' cannot be written to: the disk is full"
    case .busy(let path): "the journal '\(path)' is locked by another program"
    }
  }
}

/// A record of a journal, as named in messages.
public enum JournalRecord: Sendable, Equatable, CustomStringConvertible {
  /// The batch with this number.
  case batch(Int64)
  /// The execution with this number.
  case execution(Int64)
  /// A process group of the execution with this number.
  case group(of: Int64)

  /// The table that contains the record.
  var table: String {
    switch self {
    case .batch: "batch"
    case .execution: "execution"
    case .group: "process_group"
    }
  }

  /// The consequence of continuing without the record.
  fileprivate var consequence: String {
    switch self {
    case .batch: ""
    case .execution: "; if it had completed, its entry is then executed again"
    case .group: "; what it has left running is then not ended"
    }
  }

  /// The SQL condition that finds the record.
  var condition: String {
    switch self {
    case .batch(let id), .execution(let id): "id = \(id)"
    case .group(let execution): "execution = \(execution)"
    }
  }

  /// A short description of the record.
  public var description: String {
    switch self {
    case .batch(let id): "batch \(id)"
    case .execution(let id): "execution \(id)"
    case .group(let execution): "a process group of execution \(execution)"
    }
  }
}
