/// The reason an execution did not start or did not finish.
public enum CommandError: Error, Sendable, Equatable {
  /// The command, available through the reference, did not admit the execution. RAC:
  /// `RACCommandErrorNotEnabled`.
  case notEnabled(command: CommandReference, reason: DisabledReason)
  /// The execution was cancelled, was replaced by a later one, or waited for a command that was
  /// released.
  case cancelled
  /// The execution, including all attempts and the delays between them, took longer than allowed.
  case timeout(after: Duration)
}

/// The reason a command cannot execute.
public enum DisabledReason: Sendable, Equatable {
  /// The command's enabled condition is false.
  case condition
  /// The command already runs as many executions as it allows.
  case busy(limit: ConcurrencyLimit)
  /// The command is busy, and its queue is full.
  case queueFull(limit: Int)
}

extension CommandError {
  /// The command that did not admit the execution, even an anonymous one; nil for another error,
  /// and after the command was released.
  public var command: (any UntypedCommand)? {
    if case .notEnabled(let reference, _) = self { reference.command } else { nil }
  }

  /// The reason the command did not admit the execution; nil for another error.
  public var disabledReason: DisabledReason? {
    if case .notEnabled(_, let reason) = self { reason } else { nil }
  }
}

extension CommandError: CustomStringConvertible {
  /// One readable line.
  public var description: String {
    switch self {
    case .notEnabled(let command, let reason):
      "\(command) is not enabled: \(reason)"
    case .cancelled:
      "the execution was cancelled"
    case .timeout(let duration):
      "the execution took longer than \(duration)"
    }
  }
}

extension DisabledReason: CustomStringConvertible {
  /// The reason as the end of a sentence.
  public var description: String {
    switch self {
    case .condition: "its condition is false"
    case .busy(.serial): "it is executing"
    case .busy(let limit): "it is executing \(limit) times, which is its limit"
    case .queueFull(let limit): "it is executing, and its queue of \(limit) is full"
    }
  }
}
