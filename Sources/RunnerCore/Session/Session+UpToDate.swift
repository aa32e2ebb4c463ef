import EventLoop
import LuaRuntime
import Reactive
import Scripting

extension Session {
  /// Whether the options leave out what is up to date.
  static func upToDate(_ line: CommandLine, _ states: CommandStates) -> HostPolicy.UpToDate {
    if let command = line[.forceOnly] { return .recordedOnly(of: command, states) }
    return line.has(.force) ? .recorded(states) : .skipped(states)
  }

  /// Finds out which commands are up to date with their inputs.
  ///
  /// - Parameter limit: how long the functions of all definitions together may take; nil for no
  ///   limit.
  package func verdicts(
    _ calls: [(ScriptCommand, LuaValue)], within limit: Duration? = nil
  ) -> [UpToDateVerdict] {
    guard calls.contains(where: { $0.0.declaresUpToDate }) else {
      return calls.map { _ in .undeclared }
    }
    let subscription = CompoundDisposable()
    defer { subscription.dispose() }
    var answers = [UpToDateVerdict?](repeating: nil, count: calls.count)
    var isLate = false
    for (index, (command, input)) in calls.enumerated() {
      command.askUpToDate(input, in: subscription) { answers[index] = $0 }
    }
    let timer = limit.map { loop.timer(after: $0) { isLate = true } }
    timer?.unref()
    wait { isLate || answers.allSatisfy { $0 != nil } || isEnding }
    timer?.cancel()
    return answers.map {
      $0 ?? .unanswered("the functions of its definition take too long")
    }
  }

  /// Finds out which steps of a plan are up to date. One that comes after a step which is not is not
  /// either: what is executed before it may change its sources.
  package func verdicts(for plan: Plan, within limit: Duration? = nil) -> [UpToDateVerdict] {
    var verdicts = verdicts(plan.steps.map { ($0.command, $0.input) }, within: limit)
    // For each step, a step that is executed before it and may change what it reads, and one of
    // which that is not known.
    var causes: [Int?] = []
    var doubts: [Int?] = []
    for (index, step) in plan.steps.enumerated() {
      let earlier = step.needs + step.after + step.follows
      let needed = step.needs.lazy.compactMap { causes[$0] }.first
      let later = earlier.lazy.compactMap { causes[$0] }
      let cause = needed ?? later.first { step.readsOutput(of: plan.steps[$0]) } ?? later.first
      let doubt = earlier.lazy.compactMap { doubts[$0] }.first
      if case .upToDate = verdicts[index] {
        if let cause, needed != nil || step.readsOutput(of: plan.steps[cause]) {
          let verb = needed == nil ? "comes after" : "needs"
          verdicts[index] = .awaiting(step.reasonToWait(for: plan.steps[cause], verb))
        } else if let doubt = cause ?? doubt {
          verdicts[index] = .depending(plan.steps[doubt].command.name)
        }
      }
      switch verdicts[index] {
      case .outdated, .awaiting:
        causes.append(index)
        doubts.append(nil)
      case .unanswered:
        causes.append(nil)
        doubts.append(index)
      case .upToDate, .undeclared, .depending:
        causes.append(cause)
        doubts.append(doubt)
      }
    }
    return verdicts
  }

  /// Finds out which commands are up to date without an input; those that require one are not asked.
  package func verdicts(
    ofPlain commands: [ScriptCommand], within limit: Duration? = nil
  ) -> [UpToDateVerdict] {
    let calls = commands.map { command in
      command.declaresUpToDate
        ? (try? command.input(from: [])).map { Plan.Call(command, $0) } : nil
    }
    let answers = verdicts(of: calls.compactMap { $0 }, within: limit)
    return zip(commands, calls).map { command, call in
      guard command.declaresUpToDate else { return .undeclared }
      guard let call else { return .unanswered("it requires an input") }
      return answers[call.key] ?? .unanswered("it is not known what it needs")
    }
  }

  private func verdicts(
    of calls: [Plan.Call], within limit: Duration?
  ) -> [CallKey: UpToDateVerdict] {
    if let plan = try? Plan(calls) {
      return Dictionary(
        zip(plan.steps.map(\.call.key), verdicts(for: plan, within: limit)),
        uniquingKeysWith: { first, _ in first })
    }
    // The needs of one that are wrong do not concern the others.
    guard calls.count > 1 else { return [:] }
    return calls.reduce(into: [:]) { answers, call in
      answers.merge(verdicts(of: [call], within: limit)) { first, _ in first }
    }
  }
}

extension Plan.Step {
  fileprivate func readsOutput(of other: Plan.Step) -> Bool {
    command.source(madeBy: other.command) != nil
  }

  /// Why it cannot be known whether it is up to date before another step has been executed.
  ///
  /// - Parameter verb: how it depends on the other.
  fileprivate func reasonToWait(for other: Plan.Step, _ verb: String) -> String {
    let name = other.command.name
    guard let path = command.source(madeBy: other.command) else {
      return "it \(verb) '\(name)', which is not up to date"
    }
    return "it \(verb) '\(name)', which is not up to date and makes its source '\(path)'"
  }
}

extension UpToDateVerdict {
  package var isUpToDate: Bool { if case .upToDate = self { true } else { false } }

  /// The fields for programs: whether it is up to date, if that is known, and why not.
  package var fields: [(String, JSONValue)] {
    switch self {
    case .undeclared: []
    case .upToDate: [("up_to_date", .bool(true))]
    case .outdated(let changes):
      [
        ("up_to_date", .bool(false)),
        ("changes", .list(changes.map { .string(Secrets.masked("\($0)")) })),
      ]
    case .depending(let cause):
      [("up_to_date", .null), ("changes", .list([.string("up to date if '\(cause)' is")]))]
    case .unanswered(let reason), .awaiting(let reason):
      [("up_to_date", .null), ("changes", .list([.string(Secrets.masked(reason))]))]
    }
  }
}
