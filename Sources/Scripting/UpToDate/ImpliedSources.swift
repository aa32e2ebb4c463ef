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
  /// where they are executed. What makers need is not looked at: a long chain has a maker at each link.
  func makers(for input: LuaValue) -> [Plan.Call] {
    var makers: [Plan.Call] = []
    var known: Set<CallKey> = []
    var depths: [ObjectIdentifier: Int] = [:]
    do throws(Failure) {
      var left = try needed(with: input).map(NeedVisit.enter)
      while let visit = left.popLast() {
        guard case .enter(let call) = visit else {
          if case .leave(let command) = visit { depths[ObjectIdentifier(command), default: 1] -= 1 }
          continue
        }
        guard known.insert(call.key).inserted, !call.command.isService else { continue }
        switch call.command.description.upToDate?.outputs {
        case .patterns, .function, .lazy: makers.append(call)
        case nil, .some(.none):
          let depth = depths[ObjectIdentifier(call.command), default: 0] + 1
          depths[ObjectIdentifier(call.command)] = depth
          // A function may need its own command with ever other inputs, for which no plan is made.
          guard depth <= Plan.deepest || !call.command.asksForNeeds else { return [] }
          left.append(.leave(call.command))
          left += try call.command.needed(with: call.input).map(NeedVisit.enter)
        }
      }
    } catch { return [] }
    return makers
  }

  /// The calls that an execution with an input needs, the last one first.
  private func needed(with input: LuaValue) throws(Failure) -> [Plan.Call] {
    guard hasNeeds else { return [] }
    var calls: [Plan.Call] = []
    for need in try needs(with: input).needs.reversed() {
      calls.append(try call(for: need, as: .needed))
    }
    return calls
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

/// A step of a walk through needs.
private enum NeedVisit {
  case enter(Plan.Call)
  /// All that a call of this command needs has been visited.
  case leave(ScriptCommand)
}
