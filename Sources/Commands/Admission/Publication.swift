/// A change that observers of a command are notified of, on its scheduler and in the order of the
/// changes.
struct Publication: Sendable {
  let change: Change
  let content: Content

  init(_ content: consuming Content, _ change: Change = Change()) {
    self.content = content
    self.change = change
  }

  enum Content: Sendable {
    /// An execution was admitted. The execution is published, then the change, and then its work
    /// starts. The work of one that waited is created only now.
    case admitted(AnyExecution, Work?)
    /// Only values changed.
    case changed
    /// An execution failed.
    case failed(AnyExecution, any Error)
    /// An execution was not admitted.
    case rejected(CommandError)
    /// The command was released; nothing follows.
    case closed
  }

  /// New values; nil for a value that did not change.
  struct Change: Sendable {
    var executing: Bool?
    var enabled: Bool?
    var limit: ConcurrencyLimit?

    /// True if neither `executing` nor `enabled` changed.
    var isEmpty: Bool { executing == nil && enabled == nil }
  }
}

/// A change that observers of a command are notified of as soon as it is made, on the thread that
/// makes it.
enum ImmediateChange: Sendable {
  /// True if an execution would be accepted.
  case enabled(Bool)
  /// True if more than one execution may run.
  case concurrentExecutionAllowed(Bool)
}

/// The work of an execution; only the execution knows its type.
@usableFromInline
struct Work: Sendable {
  @usableFromInline let signal: any AnyObject & Sendable

  @inlinable
  init(_ signal: any AnyObject & Sendable) {
    self.signal = signal
  }
}
