import LuaRuntime
import Platform
import Reactive

/// A condition that is asked before anything that a command needs is executed. Confined to the
/// loop's thread.
final class Precondition {
  let condition: EnabledCondition
  private var isTrue = false
  private let subscription = CompoundDisposable()

  init(_ condition: EnabledCondition) {
    self.condition = condition
    condition.truth?.observe(
      Observer(next: onLoop { [unowned self] in isTrue = $0 }, end: { _ in }), in: subscription)
  }

  deinit { subscription.dispose() }

  /// Asks, and calls `answer` when the answer is known: with a failure unless the condition holds.
  func ask(
    of command: ScriptCommand, in subscription: CompoundDisposable,
    _ answer: @escaping (Failure?) -> Void
  ) {
    condition.ask()
    let decide = { [self] in answer(isTrue ? nil : failure(of: command)) }
    guard condition.isPending else { return decide() }
    condition.whenKnown(of: command, in: subscription, decide)
  }

  /// True if a rehearsal cannot know it, because it needs a process.
  var isUnasked: Bool { condition.isUnasked }

  /// The reason why it does not hold, as the end of a sentence.
  var reason: String { condition.explanation ?? "its precondition is false" }

  private func failure(of command: ScriptCommand) -> Failure {
    let why = isUnasked ? "its precondition needs a process, which is not started" : reason
    var failure = Failure(.notEnabled, "the command '\(command.name)' is not enabled: \(why)")
    failure.command = command.name
    failure.traceback = condition.failure?.traceback
    return failure
  }
}
