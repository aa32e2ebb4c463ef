import Reactive

/// What is behind a command's signals. An outlet is made when it is first asked for; what nobody
/// observes costs an execution nothing.
struct Outlets {
  var executions: Outlet<Occupant>?
  var executing: Outlet<Bool>?
  var enabled: Outlet<Bool>?
  var limit: Outlet<ConcurrencyLimit>?
  var failures: Outlet<(Occupant, any Error)>?
  var disabledErrors: Outlet<CommandError>?
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
