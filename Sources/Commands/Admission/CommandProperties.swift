import Reactive

/// The properties behind a command's signals. Each is created on first use, so unobserved
/// properties cost an execution nothing.
struct CommandProperties {
  var executions: CommandProperty<AnyExecution>?
  var executing: CommandProperty<Bool>?
  var enabled: CommandProperty<Bool>?
  var limit: CommandProperty<ConcurrencyLimit>?
  var failures: CommandProperty<(AnyExecution, any Error)>?
  var disabledErrors: CommandProperty<CommandError>?
  // Sent where the change is made instead of on the scheduler.
  var immediateEnabled: BehaviorSubject<Bool>?
  var concurrentExecutionAllowed: BehaviorSubject<Bool>?

  /// Completes them all.
  func complete() {
    executions?.complete()
    executing?.complete()
    enabled?.complete()
    immediateEnabled?.sendCompleted()
    concurrentExecutionAllowed?.sendCompleted()
    limit?.complete()
    failures?.complete()
    disabledErrors?.complete()
  }
}
