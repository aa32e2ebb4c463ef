import Synchronization

import Platform

/// The durable record of executions: an SQLite database in WAL mode.
///
/// Every commit is synced before it returns, so that what was committed survives a power failure and
/// what was not is gone as a whole. Any thread; calls block, one after the other. Several processes
/// may use one journal at once.
public final class Journal: Sendable {
  /// The file.
  public let path: String
  /// Nil once it is closed.
  private let store: Mutex<Store?>

  /// Opens a journal, made if it is missing and `isCreated` says so.
  ///
  /// - Throws: if there is none, it is none, or cannot be read.
  public convenience init(_ path: String, isCreated: Bool) throws(JournalError) {
    try self.init(path, isCreated: isCreated, fileSystem: nil)
  }

  /// - Parameter fileSystem: the name of an SQLite file system.
  init(_ path: String, isCreated: Bool, fileSystem: String?) throws(JournalError) {
    self.path = path
    store = Mutex(try Store(path, isCreated: isCreated, fileSystem: fileSystem))
  }

  /// Begins a batch, which is at work until `finish` or the end of the process.
  ///
  /// What batches that ended without a word have left as running is marked as interrupted.
  ///
  /// - Throws: if nothing can be written, or what it relies on is damaged.
  public func begin(_ batch: BatchDescription, as kind: BatchKind) throws(JournalError) -> Int64 {
    try use { store throws(JournalError) in try store.begin(batch, as: kind) }
  }

  /// Records starts and ends and then decides about claims, durably when this returns, all or nothing.
  ///
  /// - Parameters:
  ///   - starts: when executions that have not ended have begun, in seconds since 1970.
  ///   - releases: executions that were claimed and will not be started.
  ///   - notes: what executions that have not ended do; alone, they are not synced.
  /// - Returns: a claim for each entry, in order.
  @discardableResult
  public func commit(
    starts: [Int64: Double] = [:], ends: [ExecutionEnd] = [], releases: [Int64] = [],
    claims: [PlanEntry] = [], notes: ExecutionNotes = ExecutionNotes()
  ) throws(JournalError) -> [Claim] {
    try use { store throws(JournalError) in
      try store.commit(
        starts: starts, ends: ends, releases: releases, claims: claims, notes: notes)
    }
  }

  /// Ends the batch.
  public func finish(status: Int) throws(JournalError) {
    try use { store throws(JournalError) in try store.finish(status: status) }
  }

  /// Closes the journal, which is one file again if nobody else has it open. It cannot be used any
  /// more.
  public func close() {
    store.withLock { $0 = nil }
  }

  /// Uses what is recorded.
  func use<Result: Sendable>(
    _ body: (Store) throws(JournalError) -> Result
  ) throws(JournalError) -> Result {
    try store.withLock { store throws(JournalError) in
      guard let store else { throw .unavailable(path, reason: "it is closed") }
      return try body(store)
    }
  }
}

/// What a batch relies on of all that is recorded, which is looked through before it begins.
public enum BatchKind: Sendable {
  /// A run of commands: on nothing.
  case run
  /// Only entries that complete in batches at work at the same time count as done: on the pages, which
  /// it shares with them.
  case batch
  /// Entries that have completed in any earlier batch count as done: on all.
  case resumption
}

/// What a batch is.
public struct BatchDescription: Sendable {
  /// The plans, as they were named.
  public var plan: String
  /// Where it was started.
  public var folder: String
  /// How it was called.
  public var arguments: [String]
  /// How many executions may run at a time.
  public var jobs: Int

  /// A description.
  public init(plan: String, folder: String, arguments: [String], jobs: Int) {
    self.plan = plan
    self.folder = folder
    self.arguments = arguments
    self.jobs = jobs
  }
}

/// Seconds since 1970.
public func secondsSince1970() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
