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
  let name: String?
  let plan: String
  let line: Int
  /// The line that hands it to an executor.
  let order: String
  /// False if its input is sealed and does not open.
  let hasInput: Bool
  let claimed = EventLoop.now
  var state = State.waiting
  /// The bytes of events kept so far, and the number of those left out.
  var kept = 0
  var leftOut = 0
  /// True if the server wants it cancelled.
  var isCancelled = false
  /// True if its executor was asked to give it back.
  var isRecalled = false

  /// An entry from a row of `raclette.finish`, whose input a key opens if it is sealed.
  init(_ rows: ServerRows, _ row: Int, _ key: QueueKey?) {
    token = rows.integer(row, 0)
    number = rows.integer(row, 1)
    batch = rows.integer(row, 2)
    attempt = rows.integer(row, 3)
    name = rows.text(row, 7)
    plan = rows.text(row, 8) ?? ""
    line = rows.integer(row, 9)
    let (command, input) = (rows.text(row, 5) ?? "", rows.text(row, 6) ?? "")
    let opened =
      QueueKey.isSealed(input)
      ? key?.open(input, of: command) : QueueKey.Content(input: input, secrets: [])
    hasInput = opened != nil
    order =
      JSONValue.list([
        .string("run"), .integer(Int64(number)), .integer(Int64(token)), .integer(Int64(attempt)),
        .string(rows.text(row, 4) ?? ""), .string(command),
        .string(opened?.input ?? ""), name.map { .string($0) } ?? .null, .string(plan),
        .integer(Int64(line)), .list((opened?.secrets ?? []).map { .string($0) }),
      ]).text
  }
}
