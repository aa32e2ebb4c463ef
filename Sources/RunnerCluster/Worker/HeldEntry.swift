import EventLoop
import RunnerCore
import Scripting

/// An entry that a worker has claimed and whose end it has not recorded.
final class HeldEntry {
  enum State {
    /// It waits for its executor, or for a job.
    case waiting
    /// Its executor has it.
    case handed
    case begun
  }

  let token: Int
  let number: Int
  let batch: Int
  let attempt: Int
  /// The line that hands it to an executor.
  let order: String
  let claimed = EventLoop.now
  var state = State.waiting
  /// The bytes of events kept so far, and the number of those left out.
  var kept = 0
  var leftOut = 0
  /// True if the server wants it cancelled.
  var isCancelled = false
  /// True if its executor was asked to give it back.
  var isRecalled = false

  /// An entry from a row of `raclette.finish`.
  init(_ rows: ServerRows, _ row: Int) {
    token = rows.integer(row, 0)
    number = rows.integer(row, 1)
    batch = rows.integer(row, 2)
    attempt = rows.integer(row, 3)
    order =
      JSONValue.list([
        .string("run"), .integer(Int64(number)), .integer(Int64(token)), .integer(Int64(attempt)),
        .string(rows.text(row, 4) ?? ""), .string(rows.text(row, 5) ?? ""),
        .string(rows.text(row, 6) ?? ""), rows.text(row, 7).map { .string($0) } ?? .null,
        .string(rows.text(row, 8) ?? ""), .integer(Int64(rows.integer(row, 9))),
      ]).text
  }
}
