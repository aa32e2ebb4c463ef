import Commands

/// How the executions of a command are treated, beside what they do.
public struct CommandPolicy: Sendable {
  /// How many may run at a time when the script is loaded.
  public var concurrency = ConcurrencyLimit.serial
  /// What happens to one that is asked for while as many run.
  public var whenBusy = BusyPolicy.reject
  /// Timeout and retries.
  public var options = ExecutionOptions()
  /// How many of its latest values an execution replays. Bounded, so that a command that runs for
  /// days does not fill the memory.
  var replay = 100_000

  /// The usual.
  public init() {}
}

extension BusyPolicy {
  /// The name as scripts write it.
  public var name: String {
    switch self {
    case .reject: "reject"
    case .queue: "queue"
    case .restart: "restart"
    case .join: "join"
    }
  }
}
