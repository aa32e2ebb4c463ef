/// The statements that record notes of executions. Confined to its database's thread.
final class NoteStatements {
  private let output, begin, end, endAll: Statement
  /// The executions that have recorded process groups.
  private var executions: Set<Int64> = []

  init(_ database: Database) throws(JournalError) {
    output = try Statement(
      """
      UPDATE execution SET \(RowChecksums.changes(["output_checksum": "row_checksum(?1)"])), output = ?1
        WHERE id = ?2 AND state = 'running'
      """, in: database)
    begin = try Statement(
      """
      INSERT OR REPLACE INTO process_group VALUES(?1, ?2, ?3, ?4, ?5, row_checksum(?1, ?2, ?3, ?4, ?5))
      """, in: database)
    end = try Statement(
      "DELETE FROM process_group WHERE execution = ? AND leader = ?", in: database)
    endAll = try Statement("DELETE FROM process_group WHERE execution = ?", in: database)
  }

  func record(_ notes: ExecutionNotes) throws(JournalError) {
    for (execution, lines) in notes.outputs {
      try output.run(RecordedLine.blob(of: lines), execution)
    }
    for (execution, groups) in notes.gone {
      for group in groups { try end.run(execution, Int(group.leader)) }
    }
    for (execution, groups) in notes.begun {
      executions.insert(execution)
      for group in groups {
        try begin.run(
          execution, Int(group.leader), group.started, Int(group.session), group.system)
      }
    }
  }

  /// Forgets the groups of an execution that has ended.
  func forget(_ execution: Int64) throws(JournalError) {
    if executions.remove(execution) != nil { try endAll.run(execution) }
  }
}
