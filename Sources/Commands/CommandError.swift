/// Why an execution did not take place or did not come to its end.
public enum CommandError: Error, Sendable, Equatable {
  /// The command, which the reference leads to, did not admit the execution. RAC:
  /// `RACCommandErrorNotEnabled`.
  case notEnabled(command: CommandReference, reason: DisabledReason)
  /// The execution was cancelled, replaced by a later one, or waited for a command that was dropped.
  case cancelled
  /// The execution, all attempts and the delays between them included, took longer than allowed.
  case timeout(after: Duration)
}

/// What keeps a command from executing.
public enum DisabledReason: Sendable, Equatable {
  /// The command's enabled condition is false.
  case condition
  /// As many executions run as the command allows.
  case busy(limit: ConcurrencyLimit)
  /// It is busy, and as many executions as its policy allows wait already.
  case queueFull(limit: Int)
}

extension CommandError {
  /// The command that did not admit the execution, anonymous ones included; nil for another error, and
  /// once the command was dropped.
  public var command: (any UntypedCommand)? {
    if case .notEnabled(let reference, _) = self { reference.command } else { nil }
  }

  /// Why the command did not admit the execution; nil for another error.
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
