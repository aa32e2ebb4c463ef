import RunnerCore
import Scripting

/// What waits, runs and works on a server at one moment.
struct QueueSnapshot {
  /// The server's time in seconds since 1970.
  let time: Double
  /// The batches that have not ended, or have only just.
  let batches: [Int]
  let workers: JSONValue
  /// Those that have not ended, by their numbers.
  let executions: [SharedExecution]

  /// - Parameter lead: the seconds by which the server's clock is ahead of this machine's.
  init(_ rows: ServerRows, lead: Double) {
    time = rows.number(0, 0) ?? 0
    batches = rows.integers(0, 1)
    workers = rows.text(0, 2).flatMap { JSONValue(text: $0) } ?? .list([])
    executions = (rows.text(0, 3).flatMap { JSONValue(text: $0) } ?? .list([])).elements
      .compactMap { SharedExecution($0, lead: lead) }
  }
}

extension SharedExecution {
  fileprivate init?(_ json: JSONValue, lead: Double) {
    guard let id = json[field: "id"]?.integer, let command = json[field: "command"]?.string,
      !command.isEmpty,
      let state = json[field: "state"]?.string.flatMap(State.init(rawValue:))
    else { return nil }
    let input = json[field: "input"]?.string ?? ""
    self.init(
      id: Int(id), batch: Int(json[field: "batch"]?.integer ?? 0), command: command,
      input: input.isEmpty ? nil : input, created: (json[field: "created"]?.seconds ?? 0) - lead,
      state: state)
    worker = json[field: "worker"]?.string
    attempt = max(1, Int(json[field: "attempt"]?.integer ?? 1))
    started = json[field: "started"]?.seconds.map { $0 - lead }
  }

  /// The execution in a row of those that have ended.
  init(ended rows: ServerRows, _ row: Int, lead: Double) {
    let input = rows.text(row, 3) ?? ""
    let state = rows.text(row, 5) ?? ""
    self.init(
      id: rows.integer(row, 0), batch: rows.integer(row, 1), command: rows.text(row, 2) ?? "",
      input: input.isEmpty ? nil : input, created: (rows.number(row, 4) ?? 0) - lead,
      state: state == "skipped" ? .cancelled : State(rawValue: state) ?? .failed)
    worker = rows.text(row, 6).flatMap { $0.isEmpty ? nil : $0 }
    attempt = rows.integer(row, 7)
    started = rows.number(row, 8).map { $0 - lead }
    ended = rows.number(row, 9).map { $0 - lead }
    isUpToDate = self.state == .completed && rows.integer(row, 10) == 0 && started != nil
    guard self.state == .failed else { return }
    var failure = Failure(
      rows.text(row, 11).flatMap(Failure.Kind.init(rawValue:)) ?? .user, rows.text(row, 12) ?? "")
    failure.code = rows.text(row, 13).flatMap { Int32($0) }
    self.failure = failure
  }
}
