import Reactive

/// The subjects behind a command's signals. One is made when it is first asked for; what nobody
/// observes costs an execution nothing.
struct Outlets {
  var executing: BehaviorSubject<Bool>?
  var enabled: BehaviorSubject<Bool>?
  var immediateEnabled: BehaviorSubject<Bool>?
  var limit: BehaviorSubject<ConcurrencyLimit>?
  var errors: Subject<any Error>?
  var disabledErrors: Subject<CommandError>?

  /// Completes them all.
  func complete() {
    executing?.sendCompleted()
    enabled?.sendCompleted()
    immediateEnabled?.sendCompleted()
    limit?.sendCompleted()
    errors?.sendCompleted()
    disabledErrors?.sendCompleted()
  }
}
