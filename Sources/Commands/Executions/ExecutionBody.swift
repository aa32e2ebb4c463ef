import Reactive

/// What the state machine of a command asks of an execution whose types it does not know.
protocol ExecutionBody: AnyObject, Sendable {
  var ticket: Ticket { get }

  /// Calls the signal block; one that throws makes a signal that fails.
  func makeWork() -> AnyObject

  /// The same work without a reference to the signal's object, to be subscribed again.
  func repeatable(_ work: AnyObject) -> AnyObject

  /// Publishes the execution to the command's observers.
  func publish()

  /// Subscribes the work. Its end is reported to the core.
  func subscribe(_ work: AnyObject, in subscription: CompoundDisposable)

  /// Ends the execution's subscribers.
  func end(_ termination: Termination)

  /// Tells those who watch the state that it has changed.
  func stateChanged()
}
