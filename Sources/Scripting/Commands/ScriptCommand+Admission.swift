import Commands
import Reactive

/// What whoever waits until an execution would be taken needs to know.
extension ScriptCommand {
  /// What an attempt now would be rejected with; nil if it would be taken. Asks the predicate, if the
  /// enabled condition is one.
  public var obstacle: CommandError? {
    condition.ask()
    return command.disabledError
  }

  /// What happens to an execution that is asked for while as many run as may.
  public var whenBusy: BusyPolicy { command.whenBusy }

  /// How many executions may run at a time.
  public var concurrencyLimit: ConcurrencyLimit { command.concurrencyLimit }

  /// Whether an attempt would be taken, as soon as it changes: now, and at each change. A predicate
  /// is not asked.
  public var immediateEnabled: Signal<Bool> { command.immediateEnabled }

  /// Whether its enabled condition is a function, which can only be asked.
  public var hasPredicate: Bool { condition.predicate != nil }
}
