import Reactive

/// What is behind a command's signals. A property is made when it is first asked for; what nobody
/// observes costs an execution nothing.
struct CommandProperties {
  var executions: CommandProperty<AnyExecution>?
  var executing: CommandProperty<Bool>?
  var enabled: CommandProperty<Bool>?
  var limit: CommandProperty<ConcurrencyLimit>?
  var failures: CommandProperty<(AnyExecution, any Error)>?
  var disabledErrors: CommandProperty<CommandError>?
  // Not on the scheduler, but where the change is made.
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
