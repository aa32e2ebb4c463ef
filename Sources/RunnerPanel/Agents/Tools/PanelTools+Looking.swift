import RunnerCore
import Scripting

/// The tools that show something.
extension PanelTools {
  /// With what there is to say about the rest, an answer has at most 60 lines.
  private static let mostListed = 58
  private static let mostExecutions = 30

  // MARK: Commands

  func list(_ filter: String?) -> ToolAnswer {
    let shown = panel.commands.filter { !$0.isPrivate }
    if let filter, let command = shown.first(where: { $0.name == filter }) {
      return .result(text: details(of: command), fields: fields(of: command), isError: false)
    }
    let wanted = filter?.lowercased() ?? ""
    let found = shown.filter { command in
      wanted.isEmpty
        || [command.name, command.summary, command.group].contains {
          $0?.lowercased().contains(wanted) == true
        }
    }
    var lines = found.prefix(Self.mostListed).map(line)
    if found.count > Self.mostListed {
      lines.append("… \(found.count - Self.mostListed) more; a filter names fewer")
    }
    if found.isEmpty {
      lines.append(
        wanted.isEmpty
          ? "there are no commands" : "no command has '\(wanted)' in its name, group or summary")
    }
    if let problem = panel.loadProblem {
      lines.append("the command file does not load, so the previous commands remain: \(problem)")
    }
    let text = lines.map { $0 + "\n" }.joined()
    return .result(
      text: Secrets.masked(text),
      fields: [
        ("count", .integer(Int64(found.count))),
        (
          "not_enabled",
          .list(found.filter { panel.state(of: $0).reason != nil }.map { .string($0.name) })
        ),
      ], isError: false)
  }

  private func line(_ command: ScriptCommand) -> String {
    var line = command.signature
    if let summary = command.summary { line += ": \(summary)" }
    let state = stateText(of: command)
    return (state.isEmpty ? line : "\(line) [\(state)]").visibleInLine
  }

  private func stateText(of command: ScriptCommand) -> String {
    let state = panel.state(of: command)
    var notes: [String] = []
    if let reason = state.reason { notes.append("not enabled: \(reason)") }
    if state.running > 0 { notes.append("\(state.running) running") }
    if state.queued > 0 { notes.append("\(state.queued) queued") }
    return notes.joined(separator: "; ")
  }

  private func details(of command: ScriptCommand) -> String {
    var text = command.helpText
    let usage = "Usage: raclette run "
    text = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix(usage) ? "Usage: \(line.dropFirst(usage.count))" : String(line)
    }.joined(separator: "\n")
    if let question = command.fixedQuestion { text += "\nAsks: \(question.visibleInLine)\n" }
    let state = stateText(of: command)
    if !state.isEmpty { text += "\nState: \(state)\n" }
    return Secrets.masked(text)
  }

  private func fields(of command: ScriptCommand) -> [(String, JSONValue)] {
    command.panelFields.filter { ["name", "params"].contains($0.0) }
      + panel.state(of: command).fields
  }

  // MARK: Executions

  func look(_ arguments: ToolArguments, _ pending: PendingCall) throws(ToolProblem) {
    guard let number = arguments.integer("number") else { return pending.finish(executions) }
    let execution = try execution(number)
    let most =
      try arguments.integer("lines", in: 1...1000) ?? ExecutionText.usualLines
    let wait = try arguments.wait(otherwise: 0)
    let find = arguments.text("find")
    let isErrors = arguments.flag("errors")
    let from = arguments.integer("from")
    let line = arguments.integer("line")
    pending.wait(for: number, atMost: wait, on: panel.session.loop) { pending in
      let text = ExecutionText(execution: execution)
      guard from != nil || line != nil || find != nil || isErrors else {
        return pending.finish(
          .result(text: text.summary(atMost: most), fields: text.fields, isError: false))
      }
      pending.finish(
        Self.part(text, from: (output: from ?? 0, line: max(0, line ?? 0)), most) { line in
          (!isErrors || line.isError || Self.looksLikeError(line.text))
            && (find.map { line.text.lowercased().contains($0.lowercased()) } ?? true)
        })
    }
    if execution.isOver || wait.seconds == 0 { pending.decide() }
  }

  private static func looksLikeError(_ text: String) -> Bool {
    text.withExactBytes { FirstError.isError($0) }
  }

  /// The lines that are wanted from a line of an output on, and where to read on.
  private static func part(
    _ text: ExecutionText, from: (output: Int, line: Int), _ most: Int,
    _ isWanted: (OutputLines.Line) -> Bool
  ) -> ToolAnswer {
    let output = text.execution.output
    var lines: [String] = []
    var next = (output: output.count, line: 0)
    OutputLines(output).read(from: from.output, line: from.line) { line in
      guard isWanted(line) else { return true }
      guard lines.count < most else {
        next = (line.number, line.index)
        return false
      }
      lines.append("\(line.number): \(line.text)\n")
      return true
    }
    var body = text.line + "\n" + lines.joined()
    let place = { (place: (output: Int, line: Int)) in
      "output \(place.output)" + (place.line > 0 ? ", line \(place.line)" : "")
    }
    if lines.isEmpty { body += "no such lines from \(place(from)) on\n" }
    if next.output < output.count { body += "… more from \(place(next)) on\n" }
    var fields = text.fields + [("next", .integer(Int64(next.output)))]
    if next.line > 0 { fields.append(("next_line", .integer(Int64(next.line)))) }
    return .result(text: body, fields: fields, isError: false)
  }

  private var executions: ToolAnswer {
    let all = panel.executions.all.filter { $0.held == nil && $0.request == nil }
    let shown = all.filter { !$0.isOver } + all.filter(\.isOver)
    var text = shown.prefix(Self.mostExecutions).map { ExecutionText(execution: $0).line + "\n" }
      .joined()
    if shown.count > Self.mostExecutions {
      text += "… \(shown.count - Self.mostExecutions) earlier ones\n"
    }
    if shown.isEmpty { text = "nothing was executed\n" }
    return .result(
      text: text, fields: [("running", .integer(Int64(all.count { !$0.isOver })))], isError: false)
  }
}
