import Journal
import Platform
import RunnerCore
import Scripting

extension RecordedExecution {
  /// The JSON of an execution in `history --json`.
  ///
  /// - Parameter errors: the last lines that it wrote to standard error.
  package func json(errors: String?) -> JSONValue {
    var fields: [(String, JSONValue)] = [
      ("id", .integer(id)), ("batch", .integer(batch)), ("state", .string(state.rawValue)),
    ]
    switch kind {
    case .command: fields.append(("command", .string(command)))
    case .script: fields.append(("script", .string(command)))
    case .malformed: break
    }
    if kind == .malformed {
      fields.append(("text", .string(input)))
    } else if let value = JSONValue(text: input) {
      fields.append((kind == .script ? "args" : "input", value))
    }
    if let name { fields.append(("entry", .string(name))) }
    fields += [("plan", .string(plan)), ("line", .integer(Int64(line)))]
    if let requester { fields.append(("by", .string(requester))) }
    fields += [
      ("attempts", .integer(Int64(attempts))), ("claimed", .number(claimed)),
    ]
    if let started { fields.append(("started", .number(started))) }
    if isUpToDate { fields.append(("up_to_date", .bool(true))) }
    if let duration { fields.append(("duration", .number(duration))) }
    if let worker { fields.append(("worker", .string(worker))) }
    if let completedBy { fields.append(("completed_by", .integer(completedBy))) }
    if let errorKind {
      var error: [(String, JSONValue)] = [
        ("kind", .string(errorKind)), ("message", .string(self.error ?? "")),
      ]
      if let code { error.append(("code", .integer(Int64(code)))) }
      if let errors { error.append(("stderr", .string(errors))) }
      fields.append(("error", .object(error)))
    }
    return .object(fields)
  }

  /// A human-readable line.
  package func line(_ style: Style) -> String {
    let name = state.rawValue
    let shown =
      switch state {
      case .completed: style.good(name)
      case .failed: style.error(name)
      case .running: style.strong(name)
      // What has completed since needs nobody's attention.
      case .interrupted where completedBy != nil: style.faint(name)
      case .cancelled, .interrupted: style.warning(name)
      }
    var parts = [
      padded("#\(id)", 6), localTimeText(started ?? claimed),
      shown + String(repeating: " ", count: max(0, 11 - name.count)),
      padded(duration.map(shortSeconds) ?? "", 8, right: true), "",
    ]
    parts.append(summary)
    if isUpToDate { parts.append(style.faint("(up to date)")) }
    if let worker { parts.append(style.faint("on \(worker.visibleInLine)")) }
    if attempts > 1 { parts.append(style.faint("(\(attempts) attempts)")) }
    if let completedBy { parts.append(style.good("completed since, as #\(completedBy)")) }
    if let line = error?.split(whereSeparator: \.isNewline).first {
      parts.append(style.faint("- \(String(line).visibleInLine)"))
    }
    return parts.joined(separator: " ") + "\n"
  }

  /// The executed command or script, shortened to one line.
  package var summary: String {
    let text =
      switch kind {
      case .malformed: "\(plan):\(line)"
      case .command, .script:
        [name.map { "\($0):" }, command, input.isEmpty || input == "[]" ? nil : clipped(input, 60)]
          .compactMap(\.self).joined(separator: " ")
      }
    return text.visibleInLine
  }
}

extension RecordedBatch {
  /// The JSON of a batch in `history --batches --json`.
  package var json: JSONValue {
    var fields: [(String, JSONValue)] = [
      ("batch", .integer(id)), ("plan", .string(plan)), ("folder", .string(folder)),
      ("arguments", .list(arguments.map { .string($0) })), ("jobs", .integer(Int64(jobs))),
      ("started", .number(started)),
    ]
    if let ended { fields.append(("ended", .number(ended))) }
    if let status { fields.append(("exit_code", .integer(Int64(status)))) }
    for state in RecordedState.allCases {
      fields.append((state.rawValue, .integer(Int64(counts[state] ?? 0))))
    }
    return .object(fields)
  }

  /// A human-readable line.
  package func line(_ style: Style) -> String {
    let states = RecordedState.allCases.compactMap { state in
      counts[state].map { "\($0) \(state.rawValue)" }
    }
    let time = ended.map { shortSeconds($0 - started) } ?? "at work"
    return [
      padded("\(id)", 4), localTimeText(started), padded(time, 9, right: true), "",
      states.isEmpty ? "nothing" : states.joined(separator: ", "), style.faint(plan.visibleInLine),
    ].joined(separator: " ") + "\n"
  }
}

private func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
  let padding = String(repeating: " ", count: max(0, width - text.count))
  return right ? padding + text : text + padding
}
