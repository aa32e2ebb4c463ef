import Platform
import RunnerCore
import Scripting

/// What waits, runs and works on a server, at one moment.
package struct JobsReport {
  private let queued: Int
  private let running: Int
  /// The age of the oldest batch of which entries wait, in seconds.
  private let oldest: Double?
  /// The number of entries that have ended in the last minute.
  private let lastMinute: Int
  private let workers: JSONValue
  private let batches: JSONValue

  package init(_ questions: ServerQuestions) throws {
    self.init(try questions.ask(SQL.read_jobs))
  }

  /// - Parameter rows: the answer to `read_jobs`.
  init(_ rows: ServerRows) {
    queued = rows.integer(0, 0)
    running = rows.integer(0, 1)
    oldest = rows.number(0, 2)
    lastMinute = rows.integer(0, 3)
    workers = rows.text(0, 4).flatMap { JSONValue(text: $0) } ?? .list([])
    batches = rows.text(0, 5).flatMap { JSONValue(text: $0) } ?? .list([])
  }

  package var json: JSONValue {
    .object([
      ("queued", .integer(Int64(queued))), ("running", .integer(Int64(running))),
      ("oldest_seconds", .number(oldest ?? 0)),
      ("ended_last_minute", .integer(Int64(lastMinute))), ("workers", workers),
      ("batches", batches),
    ])
  }

  /// Lines for people.
  package func text(_ style: Style) -> String {
    var lines = ["\(queued) queued, \(running) running, \(lastMinute) ended in the last minute"]
    if let oldest { lines[0] += "; the oldest has been waiting for \(shortSeconds(oldest))" }
    for batch in batches.elements {
      let ended = batch[field: "ended"]?.integer ?? 0
      let size = batch[field: "entries"]?.integer.map { "/\($0)" } ?? ""
      var parts = ["batch \(batch[field: "batch"]?.integer ?? 0)", "\(ended)\(size) ended"]
      if let running = batch[field: "running"]?.integer, running > 0 {
        parts.append("\(running) running")
      }
      if case .bool(true)? = batch[field: "cancelled"] { parts.append("cancelled") }
      parts.append(style.faint(batch[field: "plan"]?.string?.visibleInLine ?? ""))
      parts.append(style.faint("of \(batch[field: "submitter"]?.string?.visibleInLine ?? "")"))
      lines.append("  " + parts.joined(separator: "  "))
      for wanted in Self.notOffered(to: batch) {
        lines.append("    " + style.warning("no worker offers \(wanted.optionText)"))
      }
    }
    if workers.elements.isEmpty { lines.append("  " + style.warning("no workers")) }
    for worker in workers.elements {
      let jobs = worker[field: "jobs"]?.integer ?? 0
      var parts = ["worker \(worker[field: "name"]?.string?.visibleInLine ?? "")"]
      parts.append("\(worker[field: "running"]?.integer ?? 0) of \(jobs) jobs")
      let tags = (worker[field: "tags"]?.elements ?? []).compactMap(\.string)
      if !tags.isEmpty { parts.append("tags \(tags.joined(separator: ","))") }
      let resources = worker[field: "resources"].map(Resources.init(json:)) ?? [:]
      if !resources.isEmpty { parts.append("offers \(resources.optionText)") }
      if let batch = worker[field: "batch"]?.integer { parts.append("only batch \(batch)") }
      if case .bool(true)? = worker[field: "draining"] { parts.append("draining") }
      lines.append("  " + parts.joined(separator: "  "))
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The resources that waiting entries of a batch use and no worker has.
  func notOffered(to batch: Int64) -> [Resources] {
    batches.elements.filter { $0[field: "batch"]?.integer == batch }.flatMap(Self.notOffered)
  }

  private static func notOffered(to batch: JSONValue) -> [Resources] {
    (batch[field: "not_offered"]?.elements ?? []).map(Resources.init(json:))
  }
}

extension JSONValue {
  var elements: [JSONValue] { if case .list(let elements) = self { elements } else { [] } }
}
