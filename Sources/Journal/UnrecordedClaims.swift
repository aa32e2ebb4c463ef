import Synchronization

/// The claims of a batch without a journal: grants everything, except names used twice. The names
/// are kept in a temporary file, because a plan may have millions of lines.
public final class UnrecordedClaims: Sendable {
  private let state = Mutex(State())

  private struct State {
    var names: PlanNames?
  }

  /// No claims yet.
  public init() {}

  /// Returns a claim for each entry, in order.
  public func claim(_ entries: [PlanEntry]) throws(JournalError) -> [Claim] {
    try state.withLock { state throws(JournalError) in
      var answers: [Claim] = []
      for entry in entries {
        if entry.name != nil {
          if state.names == nil { state.names = try PlanNames(Database()) }
          if let earlier = try state.names?.add(entry) {
            answers.append(.repeatedName(execution: 0, line: earlier.line, plan: earlier.plan))
            continue
          }
        }
        answers.append(.granted(execution: 0))
      }
      return answers
    }
  }
}

/// The names that a plan has used so far. Confined to its database's thread.
final class PlanNames {
  private let find: Statement
  private let insert: Statement
  private let delete: Statement

  init(_ database: Database) throws(JournalError) {
    try database.execute(
      """
      CREATE TEMP TABLE named(name BLOB PRIMARY KEY, line INTEGER, plan TEXT) WITHOUT ROWID
      """)
    find = try Statement("SELECT line, plan FROM temp.named WHERE name = ?", in: database)
    insert = try Statement("INSERT INTO temp.named VALUES(?, ?, ?)", in: database)
    delete = try Statement("DELETE FROM temp.named WHERE name = ?", in: database)
  }

  /// Notes the name of an entry, if it has one.
  ///
  /// - Returns: the line and plan of its earlier use; nil if it is new.
  func add(_ entry: PlanEntry) throws(JournalError) -> (line: Int, plan: String)? {
    guard let name = entry.uniqueName else { return nil }
    let earlier = try find.first(name) {
      (line: Int($0.integer(0)), plan: $0.text(1))
    }
    if let earlier { return earlier }
    try insert.run(name, entry.line, entry.plan)
    return nil
  }

  /// Forgets the name of an entry that will be added again.
  func remove(_ entry: PlanEntry) throws(JournalError) {
    if let name = entry.uniqueName { try delete.run(name) }
  }
}

extension PlanEntry {
  fileprivate var uniqueName: [UInt8]? { (nameKey ?? name.map { EntryKey("id", $0) })?.bytes }
}
