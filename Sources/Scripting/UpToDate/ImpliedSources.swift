import LuaRuntime
import Reactive

/// The sources of a command whose definition names nothing that it reads: the outputs of what it needs.
extension ScriptCommand {
  /// True if its definition names no sources, nor anything else that tells of what it reads.
  var impliesSources: Bool {
    guard let rules = description.upToDate, hasNeeds, !rules.hasFingerprint,
      case (.none, .none) = (rules.sources, rules.depfiles)
    else { return false }
    return true
  }

  /// Returns the calls whose outputs an execution with an input may read: of its needs, those that have
  /// outputs, and in place of any other what that needs. None if its needs cannot be planned, which fails
  /// where they are executed.
  func makers(for input: LuaValue) -> [Plan.Call] {
    guard let plan = try? Plan(needsOf: Plan.Call(self, input)) else { return [] }
    var makers: [Plan.Call] = []
    var known: Set<Int> = []
    var left = plan.steps.indices.reversed().filter {
      plan.needsOfOwner.contains(plan.steps[$0].call.key)
    }
    while let index = left.popLast() {
      guard known.insert(index).inserted else { continue }
      let step = plan.steps[index]
      if step.command.isService { continue }
      switch step.command.description.upToDate?.outputs {
      case nil, .some(.none): left += step.needs.reversed()
      case .patterns, .function, .lazy: makers.append(step.call)
      }
    }
    return makers
  }

  /// Finds out the outputs of an execution with an input, by calling the functions of the definition, and
  /// calls `done` on the loop's thread.
  func askOutputs(
    _ input: LuaValue, in subscription: CompoundDisposable,
    _ done: @escaping (Result<PlacedPatterns?, any Error>) -> Void
  ) {
    guard let rules = description.upToDate else { return done(.success(nil)) }
    if case .patterns(let patterns) = rules.outputs {
      return done(Result { try placed(patterns) })
    }
    if host.isRehearsing || host.leavesLazyValues, let value = valueToCompute(for: input) {
      return done(
        .failure(Failure(.input, "\(value) of '\(name)' is computed when it is executed")))
    }
    withQuestion(rules, input, in: subscription, onFailure: { done(.failure($0)) }) { question in
      question.askOutputs(done)
    }
  }
}
