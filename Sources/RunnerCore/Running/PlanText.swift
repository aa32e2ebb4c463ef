import Commands
import LuaRuntime
import Platform
import Scripting

/// A plan in the form of `--dry-run`: the steps in order, with their dependencies, conditions and
/// policies.
package struct PlanText {
  private let plan: Plan
  private let host: ScriptHost
  private let style: Style
  /// Whether each step is up to date; empty if that does not matter.
  private let verdicts: [UpToDateVerdict]
  /// The preconditions that do not hold.
  private let refusals: [CallKey: String]

  package init(
    _ plan: Plan, _ host: ScriptHost, _ style: Style, _ verdicts: [UpToDateVerdict],
    refusals: [CallKey: String] = [:]
  ) {
    self.verdicts = verdicts
    self.plan = plan
    self.host = host
    self.style = style
    self.refusals = refusals
  }

  /// One line per step, followed by the lines and programs that it would start.
  package var text: String {
    var rows: [(String, String)] = []
    for (index, step) in plan.steps.enumerated() {
      let remarks = (remarks(on: step) + upToDateRemarks(on: index)).joined(separator: "; ")
      rows.append(("\(index + 1). \(call(of: step).visibleInLine)", remarks))
    }
    var text = ""
    let lines = TextColumns.text(rows).split(separator: "\n")
    for (line, step) in zip(lines, plan.steps) {
      text += "\(line)\n"
      for started in step.command.stepsText(with: step.input) { text += Self.indented(started) }
    }
    return text
  }

  private static func indented(_ step: String) -> String {
    var text = ""
    for line in Secrets.masked(step).visible.split(separator: "\n") {
      text += "     \(text.isEmpty ? "$" : " ") \(line)\n"
    }
    return text
  }

  /// The same as JSON.
  package var json: JSONValue {
    .list(plan.steps.indices.map { .object(fields(of: $0)) })
  }

  private func fields(of index: Int) -> [(String, JSONValue)] {
    let step = plan.steps[index]
    let input = (try? host.json(step.input)).map { JSONValue.raw($0) }
    let reason = refusals[step.call.key] ?? step.command.disabledReason
    var fields: [(String, JSONValue)] = [
      ("command", .string(step.command.name)), ("input", input ?? .null),
      ("needs", .list(names(of: step.needs).map { .string($0) })),
      ("requested", .bool(step.isRequested)), ("enabled", .bool(reason == nil)),
    ]
    if let reason { fields.append(("reason", .string(reason))) }
    let order = step.after + step.follows
    if !order.isEmpty { fields.append(("after", .list(names(of: order).map { .string($0) }))) }
    let started = step.command.stepsText(with: step.input).map { Secrets.masked($0) }
    if !started.isEmpty { fields.append(("steps", .list(started.map { .string($0) }))) }
    let question: String?
    do { question = try step.call.question() } catch { question = step.command.questionText }
    if let question { fields.append(("confirm", .string(question))) }
    return fields + upToDateFields(of: index) + step.command.policy.fields
  }

  /// The question in quotes; in general for a function that cannot answer here, as one that starts a
  /// process.
  private func question(of step: Plan.Step) -> String? {
    do { return try step.call.question().map { "\"\($0.visibleInLine)\"" } } catch {
      return step.command.questionText
    }
  }

  private func call(of step: Plan.Step) -> String {
    host.call(of: step.command.name, step.input)
  }

  private func names(of steps: [Int]) -> [String] {
    steps.map { plan.steps[$0].command.name }
  }

  private func upToDateRemarks(on index: Int) -> [String] {
    guard index < verdicts.count else { return [] }
    switch verdicts[index] {
    case .undeclared, .outdated: return []
    case .upToDate: return ["up to date"]
    case .awaiting(let reason): return [reason.visibleInLine]
    case .unanswered(let reason): return ["up to date or not: \(reason.visibleInLine)"]
    case .depending(let cause): return ["up to date if '\(cause.visibleInLine)' is"]
    }
  }

  private func upToDateFields(of index: Int) -> [(String, JSONValue)] {
    index < verdicts.count ? verdicts[index].fields : []
  }

  private func remarks(on step: Plan.Step) -> [String] {
    var needs: [String] = []
    for name in names(of: step.needs + step.after + step.follows) where !needs.contains(name) {
      needs.append(name)
    }
    let after = needs.isEmpty ? [] : ["after \(needs.joined(separator: ", "))"]
    let refusal = refusals[step.call.key]
    let reason =
      (refusal ?? step.command.disabledReason).map {
        [style.warning("not enabled: \($0.visibleInLine)")]
      } ?? []
    let doubt =
      step.command.isConditionUnasked ? ["enabled or not by a process, which is not started"] : []
    let question = question(of: step).map { ["asks \($0)"] } ?? []
    let precondition =
      refusal == nil && step.command.isPreconditionUnasked
      ? ["if its precondition holds, which needs a process"] : []
    return after + step.command.policy.remarks + question + precondition + reason + doubt
  }
}

extension CommandPolicy {
  /// The settings that differ from the defaults.
  package var remarks: [String] {
    var remarks: [String] = []
    if concurrency != .serial { remarks.append("concurrency \(concurrency)") }
    if isAcrossCluster { remarks.append("counted over all workers") }
    if isNeededOnce { remarks.append("needed once for all workers") }
    switch whenBusy {
    case .reject: break
    case .queue: remarks.append("queues when busy")
    case .restart: remarks.append("restarts when busy")
    case .join: remarks.append("joins when busy")
    }
    if let timeout = options.timeout { remarks.append("timeout \(timeout.text)") }
    if let retry = options.retry {
      let delay = retry.delay > .zero ? " after \(retry.delay.text)" : ""
      remarks.append("up to \(retry.times) retries\(delay)")
    }
    return remarks
  }

  /// The same as JSON fields.
  package var fields: [(String, JSONValue)] {
    var fields: [(String, JSONValue)] = [
      (
        "concurrency",
        concurrency == .unlimited ? .string("unlimited") : .integer(Int64(concurrency.count))
      ), ("when_busy", .string(whenBusy.name)),
    ]
    if isAcrossCluster { fields.append(("across", .string("cluster"))) }
    if isNeededOnce { fields.append(("scope", .string("cluster"))) }
    if let timeout = options.timeout { fields.append(("timeout", .number(timeout.inSeconds))) }
    if let retry = options.retry {
      fields.append(
        (
          "retry",
          .object([
            ("times", .integer(Int64(retry.times))), ("delay", .number(retry.delay.inSeconds)),
            ("backoff", .number(retry.backoff)),
          ])
        ))
    }
    return fields
  }
}
