import Commands
import LuaRuntime
import Reactive

/// What whoever waits until an execution would be taken needs to know.
extension ScriptCommand {
  /// What an attempt now would be rejected with, as far as is known since `ask`; nil if it would be
  /// taken.
  public var obstacle: CommandError? { command.disabledError }

  /// Asks the enabled condition: subscribes it if that was put off, and calls it if it is a function.
  /// The answer may take time; see `isConditionPending`.
  public func ask() {
    guard condition.isUnsubscribed else { return condition.ask() }
    command.opening { condition.ask() }
  }

  /// Whether the enabled condition is a function that has not answered yet, or a signal that has not
  /// sent its first value though the host requires one.
  public var isConditionPending: Bool {
    condition.isPending && (host.requiresConditions || condition.isFunction)
  }

  /// Calls `body` once when the condition is known: at once unless it is pending.
  public func whenConditionKnown(
    in subscription: CompoundDisposable, _ body: @escaping @Sendable () -> Void
  ) {
    guard isConditionPending else { return body() }
    condition.whenKnown(of: self, in: subscription, body)
  }

  /// Whether a rehearsal cannot know the enabled condition, as it would have to ask a process.
  public var isConditionUnasked: Bool { condition.isUnasked }

  /// The error of an execution that was admitted before its condition was known; nil if that is true.
  var conditionFailure: Failure? {
    guard let obstacle, case .notEnabled(_, .condition) = obstacle else { return nil }
    return host.failure(of: obstacle)
  }

  /// What happens to an execution that is asked for while as many run as may.
  public var whenBusy: BusyPolicy { command.whenBusy }

  /// How many executions may run at a time.
  public var concurrencyLimit: ConcurrencyLimit { command.concurrencyLimit }

  /// Whether an attempt would be taken, as soon as it changes: now, and at each change. A predicate
  /// is not asked.
  public var immediateEnabled: Signal<Bool> { command.immediateEnabled }

  /// Whether its enabled condition is a function, which can only be asked.
  public var hasPredicate: Bool { condition.isFunction }

  /// Whether observers are still to be told something, or an execution that has ended is still ending
  /// its work.
  var isDelivering: Bool { command.isDelivering }
}
