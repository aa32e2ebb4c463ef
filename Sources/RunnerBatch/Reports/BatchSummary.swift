import Journal
import RunnerCore
import Scripting

/// The content of the `--summary` file.
struct BatchSummary {
  let plans: [String]
  let end: BatchEnd
  let statistics: BatchStatistics

  var json: JSONValue {
    var fields: [(String, JSONValue)] = [
      ("v", .integer(1)), ("plans", .list(plans.map { .string($0) })),
    ]
    if let journal = end.journal { fields.append(("journal", .string(journal))) }
    if let batch = end.batch { fields.append(("batch", .integer(batch))) }
    fields += [
      ("started", .number(end.started)), ("duration", .number(end.duration)),
      ("exit_code", .integer(Int64(end.status))), ("entries", .integer(Int64(end.counts.ended))),
    ]
    fields += end.counts.fields
    fields.append(
      (
        "commands",
        .list(
          statistics.sorted.map { name, row in
            .object(
              [("name", .string(name))] + row.counts.fields + [
                ("mean", .number(row.mean)), ("longest", .number(row.longest)),
              ])
          })
      ))
    fields.append(
      ("failures", .list(statistics.failures.map { .object($0.result.fields(of: $0.failure)) })))
    fields.append(
      ("failures_left_out", .integer(Int64(max(0, end.counts.failed - statistics.failures.count)))))
    if !end.problems.isEmpty {
      fields.append(("problems", .list(end.problems.map { .string(Secrets.masked($0)) })))
    }
    return .object(fields)
  }
}

extension EntryCounts {
  var fields: [(String, JSONValue)] {
    [
      ("completed", completed), ("up_to_date", upToDate), ("failed", failed),
      ("cancelled", cancelled),
      ("skipped", skipped), ("retries", retries),
    ].map { ($0, .integer(Int64($1))) }
  }

  /// `3 completed, 1 failed`.
  var text: String {
    var parts = ["\(completed) completed" + (upToDate > 0 ? " (\(upToDate) up to date)" : "")]
    for (count, name) in [
      (failed, "failed"), (cancelled, "cancelled"), (skipped, "skipped"),
    ] where count > 0 {
      parts.append("\(count) \(name)")
    }
    if retries > 0 { parts.append("\(retries) \(retries == 1 ? "retry" : "retries")") }
    return parts.joined(separator: ", ")
  }
}

extension BatchResult {
  func fields(of failure: Failure) -> [(String, JSONValue)] {
    var fields: [(String, JSONValue)] = []
    if !entry.command.isEmpty { fields.append(("command", .string(entry.command))) }
    if let input = JSONValue(text: entry.input) { fields.append(("input", input)) }
    if let name = entry.name { fields.append(("id", .string(name))) }
    fields += [
      ("plan", .string(entry.plan)), ("line", .integer(Int64(entry.line))),
      ("duration", .number(duration)), ("attempts", .integer(Int64(attempts))),
    ]
    if execution != 0 { fields.append(("execution", .integer(execution))) }
    fields.append(("error", .object(failure.fields)))
    return fields
  }
}
