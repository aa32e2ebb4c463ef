import Journal
import RunnerCore
import Scripting

/// What is left of an execution in lists of results.
struct EndedExecution {
  let id: Int
  let state: PanelExecution.State
  /// Its input as JSON, with secrets masked; nil for none.
  let input: String?
  let by: Requester?
  let created: Double
  let started: Double?
  let ended: Double?
  let attempts: Int
  let isUpToDate: Bool
  /// The exit status of its process, if it failed because of that.
  let code: Int?
  /// The kind and the message of the error with which it failed.
  let error: (kind: String, message: String)?

  init(_ execution: PanelExecution) {
    id = execution.id
    state = execution.state
    input = execution.input
    by = execution.by
    created = execution.created
    started = execution.started
    ended = execution.ended
    attempts = execution.attempt
    isUpToDate = execution.isUpToDate
    code = execution.failure?.code.map { Int($0) }
    error = execution.failure.map { ($0.kind.rawValue, $0.message) }
  }

  init(_ recorded: RecordedExecution) {
    id = Int(recorded.id)
    state = PanelExecution.State(recorded.state)
    input = recorded.input.isEmpty ? nil : recorded.input
    by = recorded.requester.flatMap(Requester.init(rawValue:))
    created = recorded.claimed
    started = recorded.started
    ended = recorded.duration.map { (recorded.started ?? recorded.claimed) + $0 }
    attempts = max(1, recorded.attempts)
    isUpToDate = recorded.isUpToDate
    code = recorded.code
    error = Failure(recorded).map { ($0.kind.rawValue, $0.message) }
  }

  /// False for a press that its command did not accept.
  var wasExecuted: Bool { started != nil || error?.kind != Failure.Kind.notEnabled.rawValue }

  /// The seconds that it ran; nil if it never began, or nobody knows when it ended.
  var duration: Double? {
    guard let started, let ended, error?.kind != Failure.Kind.lost.rawValue else { return nil }
    return max(0, ended - started)
  }

  /// How it ended and how long it took.
  var result: [(String, JSONValue)] {
    var fields: [(String, JSONValue)] = [
      ("id", .integer(Int64(id))), ("state", .string(state.rawValue)),
    ]
    if let duration { fields.append(("duration", .number(rounded(duration)))) }
    if isUpToDate { fields.append(("up_to_date", .bool(true))) }
    return fields
  }

  /// All that is known of it.
  var json: JSONValue {
    var fields = result
    // What was told before it was known to be a secret.
    if let input { fields.append(("input", .raw(Secrets.masked(json: input)))) }
    if let by { fields.append(("by", .string(by.rawValue))) }
    for (name, time) in [("created", created), ("started", started), ("ended", ended)] {
      if let time { fields.append((name, .number(rounded(time)))) }
    }
    if attempts > 1 { fields.append(("attempt", .integer(Int64(attempts)))) }
    if let code { fields.append(("code", .integer(Int64(code)))) }
    if let error {
      fields.append(
        (
          "error",
          .object([
            ("kind", .string(error.kind)), ("message", .string(Secrets.masked(error.message))),
          ])
        ))
    }
    return .object(fields)
  }
}

/// Seconds to the microsecond.
private func rounded(_ seconds: Double) -> Double { (seconds * 1e6).rounded() / 1e6 }
