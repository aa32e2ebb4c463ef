import EventLoop
import LuaRuntime
import Reactive
import Scripting

extension Session {
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
    let answers = Answers(calls.count)
    for (index, (command, input)) in calls.enumerated() {
      command.askUpToDate(input, in: subscription) { answers.verdicts[index] = $0 }
    }
    let timer = limit.map { loop.timer(after: $0) { answers.isLate = true } }
    timer?.unref()
    wait { answers.isComplete || isEnding }
    timer?.cancel()
    return answers.verdicts.map {
      $0 ?? .unanswered("the functions of its definition take too long")
    }
  }

  /// Finds out which commands are up to date without an input; those that require one are not asked.
  package func verdicts(
    ofPlain commands: [ScriptCommand], within limit: Duration? = nil
  ) -> [UpToDateVerdict] {
    let inputs = commands.map { command in
      command.declaresUpToDate ? try? command.input(from: []) : nil
    }
    var answers = verdicts(
      zip(commands, inputs).compactMap { command, input in input.map { (command, $0) } },
      within: limit)[...]
    return zip(commands, inputs).map { command, input in
      guard input == nil else { return answers.removeFirst() }
      return command.declaresUpToDate ? .unanswered("it requires an input") : .undeclared
    }
  }
}

private final class Answers: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.
  var verdicts: [UpToDateVerdict?]
  var isLate = false

  init(_ count: Int) { verdicts = Array(repeating: nil, count: count) }

  var isComplete: Bool { isLate || verdicts.allSatisfy { $0 != nil } }
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
    case .unanswered(let reason):
      [("up_to_date", .null), ("changes", .list([.string(Secrets.masked(reason))]))]
    }
  }
}
