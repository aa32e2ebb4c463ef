/// The statements of a batch's commits, compiled once.
final class Statements {
  let claim, start, end, release, others: Statement
  private let last: Statement
  private let database: Database
  let names: PlanNames
  let repetitions: Repetitions
  let notes: NoteStatements

  init(_ database: Database) throws(JournalError) {
    self.database = database
    claim = try Statement(
      """
      INSERT INTO execution(
        id, batch, key, kind, command, input, name, plan, line, requester, state, claimed, attempts,
        output_checksum, checksum)
      VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'running', ?11, 0, row_checksum(NULL),
        row_checksum(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'running', ?11, NULL, NULL, 0, NULL, NULL,
          NULL, row_checksum(NULL)))
      """, in: database)
    start = try Statement(
      "UPDATE execution SET \(RowChecksums.changes(["started": "?1"])) WHERE id = ?2", in: database)
    end = try Statement(
      """
      UPDATE execution SET \(RowChecksums.changes([
        "key": "coalesce(?1, key)", "state": "?2", "started": "?3", "duration": "?4",
        "attempts": "?5", "code": "?6", "error_kind": "?7", "error": "?8",
        "output_checksum": "row_checksum(?9)",
      ])), output = ?9 WHERE id = ?10
      """, in: database)
    last = try Statement(
      "SELECT max(seq) FROM sqlite_sequence WHERE name = 'execution'", in: database)
    release = try Statement("DELETE FROM execution WHERE id = ?", in: database)
    repetitions = try Repetitions(database)
    names = try PlanNames(database)
    notes = try NoteStatements(database)
    others = try Statement(
      "SELECT id, ended FROM batch WHERE id > ?1 OR (ended IS NULL AND id <> ?1)", in: database)
  }

  /// A number that no execution of some batches, present or future, is before.
  func firstExecution(of batches: Set<Int64>) throws(JournalError) -> Int64 {
    let first = try Statement("SELECT min(id) FROM execution WHERE batch = ?", in: database)
    var earliest = try lastExecution() + 1
    for batch in batches {
      let execution = try first.first(batch) { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
      earliest = min(earliest, execution ?? earliest)
    }
    return earliest
  }

  /// The number of the last execution ever recorded, even if it was deleted.
  func lastExecution() throws(JournalError) -> Int64 {
    let last = try last.first { $0.integer(0) } ?? 0
    guard (0..<Int64.max / 2).contains(last) else {
      throw .damaged(database.path, detail: "its last execution has the number \(last)")
    }
    return last
  }
}
