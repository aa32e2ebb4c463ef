import Commands
import LuaRuntime
import Platform
import RunnerCore
import Scripting

/// An execution as pages see it, from the request to its end and beyond. On the loop's thread.
final class PanelExecution: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  enum State: String {
    /// For what it needs, for its condition, or for its command.
    case waiting
    case queued, running
    /// Cancelled, while its processes have not ended.
    case cancelling
    case completed, failed, cancelled

    var isEnded: Bool {
      switch self {
      case .waiting, .queued, .running, .cancelling: false
      case .completed, .failed, .cancelled: true
      }
    }
  }

  /// Its number in the API.
  let id: Int
  /// The name of its command.
  let command: String
  /// Its input as JSON, with secrets masked; nil for none.
  let input: String?
  /// The requested execution that needs it; nil if it is requested itself.
  let request: PanelExecution?
  let created: Double
  let output = OutputRecord()
  var begun = BegunLine()
  /// Takes over what was written of an unfinished line of standard error: seldom, because the whole
  /// line is read for secrets. Set while there is such a line.
  var lookAtErrors: (() -> Void)?
  var state = State.waiting { didSet { waits = nil } }
  /// The wait for what others hold that was reported last; nil once it goes on.
  var waits: Contention?
  var attempt = 1
  /// The batch of a shared queue to which it belongs.
  var batch: Int?
  /// The worker of a shared queue that executes it, or has executed it.
  var worker: String?
  /// The number that it has in the hub that executes it, or has executed it; nil if that is this process.
  var hub: Int?
  /// True if it had ended before the panel began.
  var isPast = false
  /// True once it is recorded in the journal.
  var isRecorded = false
  /// True if it has output that is not recorded yet.
  var hasUnrecordedOutput = false
  var started: Double?
  var ended: Double?
  /// The times of further attempts.
  var retries: [Double] = []
  var isUpToDate = false
  /// How long the execution took whose result was restored from the cache; nil if none was.
  var saved: Duration?
  /// What has requested it, if that is known.
  var by: Requester?
  /// What has cancelled it, if somebody has: the text of a `Requester`, or `ExecutionRecord.endOfHub`.
  var cancelledBy: String?
  /// The error with which it ended, as JSON.
  var error: String?
  var failure: Failure?
  /// Events that are sent once it is known that it was not refused; nil after that.
  var held: [(type: String, fields: [EventJSON.Field], execution: Int)]?
  /// The execution that it has joined instead of having one of its own.
  var joined: PanelExecution?
  /// The execution of the command, once it is admitted.
  var execution: Execution<LuaValue, LuaValue>?
  /// Takes lines for its processes, if its command wants them.
  var lines: OfferedInput?
  /// What makes the name of its task; nil if it is none.
  var taskKey: String?
  /// The prompts that the client of its task has answered, and the version of its begun line then.
  var answeredPrompts = 0
  var answeredVersion = 0
  /// The same as events know it.
  var record: ExecutionRecord?
  /// The run that has requested it.
  weak var run: PanelRun?
  /// The number of its process groups that have not ended.
  var groups = 0
  /// Called once when it is known whether its command accepts it, and at its end.
  var onDecided: (() -> Void)?

  init(
    _ id: Int, of command: String, input: String?, for request: PanelExecution? = nil,
    created: Double = WallClock.seconds
  ) {
    self.created = created
    self.id = id
    self.command = command
    self.input = input
    self.request = request
  }

  var isOver: Bool { state.isEnded }

  /// The fields that tell which execution an event is about.
  var identity: [EventJSON.Field] {
    [
      ("command", JSONValue.string(command).text), ("execution", "\(id)"),
      ("batch", batch.map { "\($0)" }), ("worker", worker.map { JSONValue.string($0).text }),
      ("hub", hub.map { "\($0)" }),
    ]
  }

  /// These, and how it came about.
  var origin: [EventJSON.Field] {
    identity + [
      ("input", input), ("requested", "\(request == nil)"), ("for", request.map { "\($0.id)" }),
      ("by", by.map { JSONValue.string($0.rawValue).text }),
    ]
  }

  /// The size of its output.
  var extent: [EventJSON.Field] {
    [("outputs", "\(output.count)"), ("bytes", "\(output.byteCount)")]
  }

  var json: JSONValue {
    var fields: [(String, JSONValue)] = [
      ("id", .integer(Int64(id))), ("command", .string(command)),
    ]
    // What was told before it was known to be a secret.
    if let input { fields.append(("input", .raw(Secrets.masked(json: input)))) }
    fields.append(("state", .string(state.rawValue)))
    if let waits { fields.append(("waits", waits.json)) }
    fields.append(("requested", .bool(request == nil)))
    if let by { fields.append(("by", .string(by.rawValue))) }
    if let request { fields.append(("for", .integer(Int64(request.id)))) }
    if let batch { fields.append(("batch", .integer(Int64(batch)))) }
    if let worker { fields.append(("worker", .string(worker))) }
    if let hub { fields.append(("hub", .integer(Int64(hub)))) }
    if attempt > 1 { fields.append(("attempt", .integer(Int64(attempt)))) }
    for (name, time) in [("created", created), ("started", started), ("ended", ended)] {
      if let time { fields.append((name, .number((time * 1e6).rounded() / 1e6))) }
    }
    if lines != nil, !isOver { fields.append(("takes_lines", .bool(true))) }
    if isUpToDate { fields.append(("up_to_date", .bool(true))) }
    if let saved { fields.append(("saved", .number(saved.inSeconds))) }
    if let cancelledBy { fields.append(("cancelled_by", .string(cancelledBy))) }
    fields.append(("outputs", .integer(Int64(output.count))))
    fields.append(("bytes", .integer(Int64(output.byteCount))))
    if output.lost > 0 { fields.append(("lost", .integer(Int64(output.lost)))) }
    if let error { fields.append(("error", .raw(Secrets.masked(json: error)))) }
    return .object(fields)
  }
}
