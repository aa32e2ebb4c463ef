/// Something that observers of a command are told, on its scheduler and in the order of the changes.
enum Publication: Sendable {
  /// An execution was admitted: it is published, then what it changes, then its work starts. The work
  /// of one that waited is made only now.
  case admitted(AnyExecution, Work?, Change)
  /// `executing` or `enabled` changed.
  case changed(Change)
  /// The concurrency limit changed.
  case limit(ConcurrencyLimit)
  /// An execution failed.
  case failed(AnyExecution, any Error)
  /// An execution was not admitted.
  case rejected(CommandError)
  /// The command was dropped; nothing follows.
  case closed

  /// New values; nil for one that stays.
  struct Change: Sendable {
    var executing: Bool?
    var enabled: Bool?

    var isEmpty: Bool { executing == nil && enabled == nil }
  }
}

/// Something that observers of a command are told where the change is made, as soon as it is made.
enum ImmediateChange: Sendable {
  /// Whether an execution would be taken.
  case enabled(Bool)
  /// Whether more than one execution may run.
  case concurrentExecutionAllowed(Bool)
}

/// The work of an execution; its type is known to the execution only.
@usableFromInline
struct Work: @unchecked Sendable {
  // Unchecked because `AnyObject` cannot say that it is a signal.

  @usableFromInline let signal: AnyObject

  @inlinable
  init(_ signal: AnyObject) {
    self.signal = signal
  }
}
