import CSQLite
import Platform
import Synchronization

/// The durable record of executions: an SQLite database in WAL mode.
///
/// Every commit is synced before it returns, so a committed transaction survives a power failure
/// and an uncommitted one is discarded completely. Any thread; calls block, one after the other.
/// Several processes may use one journal at once.
public final class Journal: Sendable {
  /// The path of the file.
  public let path: String
  /// Nil after `close()`.
  private let store: Mutex<Store?>

  /// Opens a journal, and creates a missing one if `isCreated` is true.
  ///
  /// - Throws: if the file is missing, is not a journal, or cannot be read.
  public convenience init(_ path: String, isCreated: Bool) throws(JournalError) {
    try self.init(path, isCreated: isCreated, fileSystem: nil)
  }

  /// - Parameter fileSystem: the name of an SQLite file system.
  init(_ path: String, isCreated: Bool, fileSystem: String?) throws(JournalError) {
    self.path = path
    store = Mutex(try Store(path, isCreated: isCreated, fileSystem: fileSystem))
  }

  /// The version that journals get when they are created or used.
  public static var currentVersion: Int { Schema.version }

  /// Examines a journal as a resumption does, without a change to it: its pages, its indexes, and of
  /// today's version each record.
  ///
  /// - Returns: its version; 0 for an empty file.
  /// - Throws: if the file is missing, is not a journal, is damaged, or is newer than this program.
  public static func examine(_ path: String) throws(JournalError) -> Int {
    let database = try Database(JournalFile(path, isCreated: false), named: path)
    let version = try Schema.check(database)
    try Schema.examine(database, for: version == currentVersion ? .resumption : .batch)
    return version
  }

  /// Returns true if a path is on a file system of another machine, such as NFS: there, programs on
  /// several machines would not see each other's locks and commits.
  public static func isOnNetwork(_ path: String) -> Bool {
    path.withCBytes { csqlite_is_on_network($0) } != 0
  }

  /// Begins a batch, which runs until `finish` or the end of the process.
  ///
  /// Executions that are recorded as running but whose batches are dead are marked as interrupted.
  ///
  /// - Throws: if nothing can be written, or if the records that the batch relies on are damaged.
  public func begin(_ batch: BatchDescription, as kind: BatchKind) throws(JournalError) -> Int64 {
    try use { store throws(JournalError) in try store.begin(batch, as: kind) }
  }

  /// Records starts and ends and then decides about claims. All of it is durable when this returns,
  /// or none of it is recorded.
  ///
  /// - Parameters:
  ///   - starts: the times, in seconds since 1970, when executions began that have not ended.
  ///   - releases: executions that were claimed and will not be started.
  ///   - reserved: executions that are recorded as running under reserved numbers, whatever others do.
  ///   - notes: the progress of executions that have not ended; a commit of notes alone is not
  ///     synced.
  /// - Returns: a claim for each entry, in order.
  @discardableResult
  public func commit(
    starts: [Int64: Double] = [:], ends: [ExecutionEnd] = [], releases: [Int64] = [],
    claims: [PlanEntry] = [], reserved: [ReservedExecution] = [],
    notes: ExecutionNotes = ExecutionNotes()
  ) throws(JournalError) -> [Claim] {
    try use { store throws(JournalError) in
      try store.commit(
        starts: starts, ends: ends, releases: releases, claims: claims, reserved: reserved,
        notes: notes)
    }
  }

  /// Ends the batch.
  public func finish(status: Int) throws(JournalError) {
    try use { store throws(JournalError) in try store.finish(status: status) }
  }

  /// Closes the journal; if no other process has it open, it becomes a single file again. The
  /// journal cannot be used afterwards.
  public func close() {
    store.withLock { $0 = nil }
  }

  /// Calls `body` with the store.
  func use<Result: Sendable>(
    _ body: (Store) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try store.withLock { store throws(JournalError) in
      guard let store else { throw .unavailable(path, reason: "it is closed") }
      return try body(store)
    }
  }
}

/// The kind of a batch, which decides how much of the journal it relies on and is checked before it
/// begins.
public enum BatchKind: Sendable {
  /// A run of commands, which relies on no records.
  case run
  /// Only entries that complete in batches that run at the same time count as done. The batch
  /// relies on the database pages, which it shares with them.
  case batch
  /// Entries that have completed in any earlier batch count as done. The batch relies on all
  /// records.
  case resumption
}

/// The description of a batch.
public struct BatchDescription: Sendable {
  /// The plans, as the user named them.
  public var plan: String
  /// The folder where it was started.
  public var folder: String
  /// The command-line arguments.
  public var arguments: [String]
  /// The maximum number of executions that may run at a time.
  public var jobs: Int

  /// A description with these values.
  public init(plan: String, folder: String, arguments: [String], jobs: Int) {
    self.plan = plan
    self.folder = folder
    self.arguments = arguments
    self.jobs = jobs
  }
}
