/// Why an execution did not take place or did not come to its end.
public enum CommandError: Error, Sendable, Equatable {
  /// The command did not admit the execution. RAC: `RACCommandErrorNotEnabled`.
  case notEnabled(command: String?, reason: DisabledReason)
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

extension CommandError: CustomStringConvertible {
  /// One readable line.
  public var description: String {
    switch self {
    case .notEnabled(let command, let reason):
      "\(Self.subject(command)) is not enabled: \(reason)"
    case .cancelled:
      "the execution was cancelled"
    case .timeout(let duration):
      "the execution took longer than \(duration)"
    }
  }

  private static func subject(_ command: String?) -> String {
    command.map { "the command '\($0)'" } ?? "the command"
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
