import Commands
import LuaRuntime
import Platform
import Scripting

/// A plan in the form of `--dry-run`: the steps in order, with their dependencies, conditions and
/// policies.
package struct PlanText {
  private let plan: Plan
  /// The steps that are shown.
  private let shown: [Int]
  private let host: ScriptHost
  private let style: Style
  /// Whether each step is up to date; empty if that does not matter.
  private let verdicts: [UpToDateVerdict]
  /// The preconditions that do not hold.
  private let refusals: [CallKey: String]
  /// True for a service that is used as it runs.
  private let isUp: (Plan.Call) -> Bool

  package init(
    _ plan: Plan, _ host: ScriptHost, _ style: Style, _ verdicts: [UpToDateVerdict],
    refusals: [CallKey: String] = [:], isUp: @escaping (Plan.Call) -> Bool
  ) {
    self.init(plan, Array(plan.steps.indices), host, style, verdicts, refusals, isUp)
  }

  private init(
    _ plan: Plan, _ shown: [Int], _ host: ScriptHost, _ style: Style, _ verdicts: [UpToDateVerdict],
    _ refusals: [CallKey: String], _ isUp: @escaping (Plan.Call) -> Bool
  ) {
    self.isUp = isUp
    self.verdicts = verdicts
    self.plan = plan
    self.shown = shown
    self.host = host
    self.style = style
    self.refusals = refusals
  }

  /// One line per step, followed by the lines and programs that it would start. A command that is one
  /// of them is followed by its own plan, the first time.
  package var text: String {
    var known = Set(plan.steps.map(\.call.key))
    return text(&known)
  }

  private func text(_ known: inout Set<CallKey>) -> String {
    var rows: [(String, String)] = []
    for index in shown {
      let step = plan.steps[index]
      let state = starts(step) ? [] : ["up"]
      let remarks = (remarks(on: step) + upToDateRemarks(on: index) + state)
        .joined(separator: "; ")
      rows.append(("\(rows.count + 1). \(call(of: step).visibleInLine)", remarks))
    }
    var text = ""
    let lines = TextColumns.text(rows).split(separator: "\n")
    for (line, index) in zip(lines, shown) {
      let step = plan.steps[index]
      text += "\(line)\n"
      guard starts(step), isExecuted(index) else { continue }
      if let needs = needsOfService(step.call, &known) { text += Self.nested(needs.text(&known)) }
      for (started, call) in step.command.plannedSteps(with: step.input) {
        text += Self.indented(started)
        guard let inner = call.flatMap({ inner(of: $0, &known) }) else { continue }
        text += Self.nested(inner.text(&known))
      }
    }
    return text
  }

  /// False for a step that is up to date, or restored.
  private func isExecuted(_ index: Int) -> Bool {
    guard index < verdicts.count else { return true }
    switch verdicts[index] {
    case .upToDate: return false
    case .outdated(let changes): return !changes.areRestorable
    case .undeclared, .awaiting, .unanswered, .depending: return true
    }
  }

  /// False for a service that is used as it runs.
  private func starts(_ step: Plan.Step) -> Bool { !step.command.isService || !isUp(step.call) }

  /// Returns the plan of a call that a step executes, without what is shown already.
  private func inner(of call: Plan.Call, _ known: inout Set<CallKey>) -> PlanText? {
    guard !known.contains(call.key), let plan = try? Plan(workOf: call) else { return nil }
    return inner(plan, &known)
  }

  /// Returns the plan of what a service needs, which is executed by whoever provides the service, without
  /// what is shown already.
  private func needsOfService(_ call: Plan.Call, _ known: inout Set<CallKey>) -> PlanText? {
    guard call.command.isService, let plan = try? Plan(needsOf: call) else { return nil }
    let inner = inner(plan, &known)
    return inner.shown.isEmpty ? nil : inner
  }

  private func inner(_ plan: Plan, _ known: inout Set<CallKey>) -> PlanText {
    let shown = plan.steps.indices.filter { known.insert(plan.steps[$0].call.key).inserted }
    // The steps before it may change what it reads.
    let verdicts = plan.steps.map { step in
      step.command.declaresUpToDate
        ? UpToDateVerdict.unanswered("this is decided when its turn comes") : .undeclared
    }
    return PlanText(plan, shown, host, style, verdicts, refusals, isUp)
  }

  private static func nested(_ text: String) -> String {
    text.split(separator: "\n").map { "     \($0)\n" }.joined()
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
    var known = Set(plan.steps.map(\.call.key))
    return json(&known)
  }

  private func json(_ known: inout Set<CallKey>) -> JSONValue {
    var steps: [JSONValue] = []
    for index in shown { steps.append(.object(fields(of: index, &known))) }
    return .list(steps)
  }

  private func fields(
    of index: Int, _ known: inout Set<CallKey>
  ) -> [(String, JSONValue)] {
    let step = plan.steps[index]
    let input = (try? host.json(step.input)).map { JSONValue.raw($0) }
    let reason = reason(against: step)
    var fields: [(String, JSONValue)] = [
      ("command", .string(step.command.name)), ("input", input ?? .null),
      ("needs", .list(names(of: step.needs).map { .string($0) })),
      ("requested", .bool(step.isRequested)), ("enabled", .bool(reason == nil)),
    ]
    if let reason { fields.append(("reason", .string(reason))) }
    if let busy = step.command.busyReason { fields.append(("busy", .string(busy))) }
    let order = step.after + step.follows
    if !order.isEmpty { fields.append(("after", .list(names(of: order).map { .string($0) }))) }
    if step.command.isService { fields.append(("starts", .bool(starts(step)))) }
    if starts(step), let needs = needsOfService(step.call, &known) {
      fields.append(("needs_of_service", needs.json(&known)))
    }
    let started = starts(step) ? step.command.plannedSteps(with: step.input) : []
    if !started.isEmpty {
      fields.append(("steps", .list(started.map { .string(Secrets.masked($0.text)) })))
    }
    var executed: [JSONValue] = []
    for call in started.compactMap(\.call) {
      if let inner = inner(of: call, &known) { executed.append(inner.json(&known)) }
    }
    if !executed.isEmpty { fields.append(("executes", .list(executed))) }
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
    case .outdated(let changes):
      return [
        changes.areRestorable
          ? "restored from the cache"
          : "not up to date: \(Secrets.masked(changes.firstOfAll).visibleInLine)"
      ]
    case .undeclared: return []
    case .upToDate: return ["up to date"]
    case .awaiting(let reason): return [reason.visibleInLine]
    case .unanswered(let reason): return ["up to date or not: \(reason.visibleInLine)"]
    case .depending(let cause): return ["up to date if '\(cause.visibleInLine)' is"]
    }
  }

  private func upToDateFields(of index: Int) -> [(String, JSONValue)] {
    index < verdicts.count ? verdicts[index].fields : []
  }

  /// The reason why a step would not be executed; nil if none is known.
  private func reason(against step: Plan.Step) -> String? {
    refusals[step.call.key] ?? step.command.disabledReason ?? step.command.resourceProblem
  }

  private func remarks(on step: Plan.Step) -> [String] {
    var needs: [String] = []
    for name in names(of: step.needs + step.after + step.follows) where !needs.contains(name) {
      needs.append(name)
    }
    let after = needs.isEmpty ? [] : ["after \(needs.joined(separator: ", "))"]
    let refusal = refusals[step.call.key]
    let reason =
      reason(against: step).map { [style.warning("not enabled: \($0.visibleInLine)")] } ?? []
    let doubt =
      step.command.isConditionUnasked ? ["enabled depends on a process, which is not started"] : []
    let question = question(of: step).map { ["asks \($0)"] } ?? []
    let precondition =
      refusal == nil && step.command.isPreconditionUnasked
      ? ["if its precondition holds, which needs a process"] : []
    let policy = step.command.service?.remarks ?? step.command.policy.remarks
    let busy =
      step.command.busyReason.map { [style.warning("busy: \($0.visibleInLine)")] } ?? []
    return after + policy + busy + question + precondition + reason + doubt
  }
}

extension CommandPolicy {
  /// The settings that differ from the defaults.
  package var remarks: [String] {
    var remarks: [String] = []
    if concurrency != .serial { remarks.append("concurrency \(concurrency)") }
    switch reach {
    case .process: break
    case .machine: remarks.append("limit applies across this machine")
    case .cluster: remarks.append("limit applies across all workers")
    }
    if isNeededOnce { remarks.append("needed once for all workers") }
    if !resources.isEmpty { remarks.append("uses \(resources.text)") }
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
    switch reach {
    case .process: break
    case .machine: fields.append(("across", .string("machine")))
    case .cluster: fields.append(("across", .string("cluster")))
    }
    if isNeededOnce { fields.append(("scope", .string("cluster"))) }
    if !resources.isEmpty {
      let uses = resources.sorted { $0.key < $1.key }.map { name, amount in
        (name, amount.isCount ? JSONValue.integer(amount.value) : .string(amount.text))
      }
      fields.append(("uses", .object(uses)))
    }
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

extension [UpToDateChange] {
  /// True if the cache has what an execution would make.
  fileprivate var areRestorable: Bool {
    contains { if case .restorable = $0 { true } else { false } }
  }
}
