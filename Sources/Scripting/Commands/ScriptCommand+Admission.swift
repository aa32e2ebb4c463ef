import Commands
import LuaRuntime
import Platform
import Reactive

/// The state that code needs in order to wait until an execution would be accepted.
extension ScriptCommand {
  /// The error with which an attempt would be rejected now, as far as is known since `ask`; nil if
  /// it would be accepted.
  public var obstacle: CommandError? { command.disabledError }

  /// Evaluates the enabled condition: subscribes to it if that was deferred, and calls it if it is
  /// a function. The answer may take time; see `isConditionPending`.
  public func ask() {
    guard hasCondition else { return }
    guard condition.isUnsubscribed else { return condition.ask() }
    command.opening { condition.ask() }
  }

  /// True if the enabled condition is a function that has not answered yet, or a signal that has
  /// not sent its first value although the host requires one.
  public var isConditionPending: Bool {
    hasCondition && condition.isPending && (host.requiresConditions || condition.isFunction)
  }

  /// Calls `body` once when the condition is known: at once unless it is pending.
  public func whenConditionKnown(
    in subscription: CompoundDisposable, _ body: @escaping () -> Void
  ) {
    guard isConditionPending else { return body() }
    condition.whenKnown(of: self, in: subscription, body)
  }

  /// Calls `body` whenever the condition has another value or another reason; replaces an earlier one.
  package func onDecision(
    in subscription: CompoundDisposable, _ body: @escaping () -> Void
  ) {
    let condition = condition
    condition.onDecision = body
    subscription.add(onLoop { condition.onDecision = nil })
  }

  /// True if a rehearsal cannot know the enabled condition because it needs a process.
  public var isConditionUnasked: Bool { condition.isUnasked }

  /// The error of an execution that was admitted before its condition was known; nil if the
  /// condition is true.
  var conditionFailure: Failure? {
    guard let obstacle, case .notEnabled(_, .condition) = obstacle else { return nil }
    return host.failure(of: obstacle)
  }

  /// The treatment of an execution that is requested while the maximum is running.
  public var whenBusy: BusyPolicy { command.whenBusy }

  /// True if it executes one at a time because nobody has chosen a limit.
  package var hasDefaultConcurrency: Bool {
    policy.hasDefaultConcurrency && concurrencyLimit == .serial
  }

  /// The limit on concurrent executions.
  public var concurrencyLimit: ConcurrencyLimit { command.concurrencyLimit }

  /// Sends at once whether an attempt would be accepted: the current value and each change. Does
  /// not call a predicate.
  public var immediateEnabled: Signal<Bool> { command.immediateEnabled }

  /// True if its enabled condition is a function, which can only be called.
  public var hasPredicate: Bool { condition.isFunction }

  /// Asks the precondition, and calls `answer` when it is known: with a failure of kind
  /// `not_enabled` unless it holds. At once if there is none.
  public func askPrecondition(
    in subscription: CompoundDisposable, _ answer: @escaping (Failure?) -> Void
  ) {
    guard let precondition else { return answer(nil) }
    precondition.ask(of: self, in: subscription, answer)
  }

  /// True if a rehearsal cannot know the precondition because it needs a process.
  public var isPreconditionUnasked: Bool { precondition?.isUnasked ?? false }

  /// The reason why the precondition did not hold when it was asked last; nil if there is none.
  public var preconditionReason: String? { precondition?.reason }

  /// The executions that run now.
  var activeExecutions: [ScriptExecution] {
    command.activeExecutionSignals.map(\.script)
  }

  /// The number of executions that run.
  package var runningCount: Int { command.activeExecutionSignals.count }

  /// The executions that wait until it is free.
  var queuedExecutions: [ScriptExecution] { command.queuedExecutions.map(\.script) }

  /// Takes the place of a command of an earlier interpreter: see `Command.succeed`.
  package func succeed(_ predecessor: ScriptCommand) { command.succeed(predecessor.command) }

  /// The number of executions of predecessors that have not ended.
  package var earlierCount: Int { command.earlierCount }

  /// The number of executions that wait until it is free.
  package var queuedCount: Int { command.queuedExecutions.count }

  /// True if observers have yet to be notified, or an ended execution is still finishing its work.
  var isDelivering: Bool { command.isDelivering }
}
