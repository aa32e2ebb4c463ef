import Journal
import Scripting

/// The journal on a server, as `history`, `replay`, `retry` and `timeline` read it.
package final class ServerJournal: JournalReader {
  private let questions: ServerQuestions
  private let address: ServerAddress
  /// The number of executions in an answer.
  private static let pageLength = 1_000

  /// Begins to connect.
  package init(_ address: ServerAddress) throws {
    self.address = address
    questions = try ServerQuestions(address)
  }

  package var name: String { address.name }

  /// The same connection answers: a page is complete before its executions are passed on.
  package func another() throws -> any JournalReader { self }

  package func batches() throws -> [RecordedBatch] {
    let rows = try questions.ask(SQL.read_batches)
    return (0..<rows.count).map { row in
      var counts: [RecordedState: Int] = [:]
      for (column, state) in [
        (5, RecordedState.completed), (6, .failed), (7, .cancelled), (8, .running),
      ] where rows.integer(row, column) > 0 {
        counts[state] = rows.integer(row, column)
      }
      let ended = rows.number(row, 4)
      let isComplete = rows.integer(row, 6) == 0 && rows.integer(row, 7) == 0
      return RecordedBatch(
        shared: Int64(rows.integer(row, 0)), plan: rows.text(row, 1) ?? "",
        folder: rows.text(row, 2) ?? "", bundledFile: rows.text(row, 9) ?? "",
        started: rows.number(row, 3) ?? 0, ended: ended,
        status: ended.map { _ in isComplete ? 0 : 1 }, counts: counts)
    }
  }

  package func forEachExecution(
    _ filter: ExecutionFilter, _ body: (RecordedExecution) -> Bool
  ) throws {
    if let limit = filter.limit {
      // The latest ones, in their order.
      let rows = try ask(filter, from: 0, "DESC LIMIT \(limit)")
      for row in (0..<rows.count).reversed() where !body(execution(rows, row)) { return }
      return
    }
    var last: Int64 = 0
    while true {
      let rows = try ask(filter, from: last, "LIMIT \(Self.pageLength)")
      for row in 0..<rows.count {
        let execution = execution(rows, row)
        last = execution.id
        if !body(execution) { return }
      }
      if rows.count < Self.pageLength { return }
    }
  }

  private func ask(
    _ filter: ExecutionFilter, only id: Int64? = nil, from last: Int64, _ order: String
  ) throws -> ServerRows {
    let states = filter.states.map(\.rawValue).sorted()
    return try questions.ask(
      SQL.read_executions + " " + order,
      [
        filter.batch.map { .integer(Int($0)) } ?? .null,
        filter.command.map { .text($0) } ?? .null,
        states.isEmpty ? .null : .texts(states), .integer(Int(last)),
        id.map { .integer(Int($0)) } ?? .null, .boolean(filter.leavesOutCompleted),
      ])
  }

  private func execution(_ rows: ServerRows, _ row: Int) -> RecordedExecution {
    let entry = PlanEntry(
      key: EntryKey(), kind: PlanEntry.Kind(rawValue: rows.text(row, 2) ?? "") ?? .command,
      command: rows.text(row, 3) ?? "", input: rows.text(row, 4) ?? "", name: rows.text(row, 5),
      plan: rows.text(row, 6) ?? "", line: rows.integer(row, 7))
    let worker = rows.text(row, 16) ?? ""
    return RecordedExecution(
      shared: Int64(rows.integer(row, 0)), batch: Int64(rows.integer(row, 1)), entry,
      worker: worker.isEmpty ? nil : worker, attempts: rows.integer(row, 8),
      state: RecordedState(rawValue: rows.text(row, 9) ?? "") ?? .failed,
      claimed: rows.number(row, 10) ?? 0, started: rows.number(row, 11),
      duration: rows.number(row, 12), code: rows.text(row, 13).flatMap { Int($0) },
      errorKind: rows.text(row, 14), error: rows.text(row, 15),
      completedBy: rows.text(row, 17).flatMap { Int64($0) })
  }

  package func commands() throws -> [String] {
    let rows = try questions.ask(
      "SELECT DISTINCT command FROM raclette.entry WHERE kind <> 'malformed'")
    return (0..<rows.count).compactMap { rows.text($0, 0) }
  }

  package func execution(_ id: Int64) throws -> RecordedExecution? {
    let rows = try ask(ExecutionFilter(), only: id, from: 0, "LIMIT 1")
    return rows.count == 0 ? nil : execution(rows, 0)
  }

  package func output(of execution: Int64) throws -> [RecordedLine] {
    let rows = try questions.ask(
      "SELECT output FROM raclette.ended WHERE entry = $1", [.integer(Int(execution))])
    guard rows.count > 0 else { return [] }
    return rows.binary(0, 0).flatMap(RecordedLine.lines(in:)) ?? []
  }
}
