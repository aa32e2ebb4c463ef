import Commands
import LuaRuntime

/// The policy for a command's executions.
public struct CommandPolicy: Sendable {
  /// The initial concurrency limit, when the script is loaded.
  public var concurrency = ConcurrencyLimit.serial
  /// True if the limit is the default, which nobody has chosen.
  var hasDefaultConcurrency = false
  /// The treatment of an execution requested while the maximum is running.
  public var whenBusy = BusyPolicy.reject
  /// The executions that the limit counts.
  public var reach = Reach.process
  /// True if it is executed once for all workers where other commands need it, and not once each.
  public var isNeededOnce = false
  /// What each execution uses until it has ended.
  package var resources: Resources = [:]
  /// Timeout and retries.
  public var options = ExecutionOptions()
  /// The number of its latest values that an execution replays. Bounded, so that a command that
  /// runs for days does not fill memory.
  var replay = 100_000

  /// Makes the default policy.
  public init() {}

  /// The executions that a limit counts.
  public enum Reach: Sendable {
    /// Those of one process.
    case process
    /// Those of all processes of the user on this machine.
    case machine
    /// The entries of all batches over all workers of a journal on a server.
    case cluster
  }
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

extension CommandPolicy {
  /// Makes it that of a service, which any number may use at a time, and which has no time limit.
  mutating func becomeOfService(_ fields: TableFields) {
    (concurrency, whenBusy, options) = (.unlimited, .reject, ExecutionOptions())
    // Its lines are kept where they are shared.
    if fields.type("replay") == .nil { replay = 100 }
  }

  init(_ fields: TableFields, _ problems: DefinitionProblems) throws {
    self.init()
    let bad = problems.bad
    concurrency = try problems.part(concurrency) {
      switch fields["concurrency"] {
      case .nil:
        hasDefaultConcurrency = true
        return concurrency
      case .integer(let limit) where limit >= 1: return ConcurrencyLimit(Int(clamping: limit))
      case .string("unlimited"): return .unlimited
      default: throw bad("field 'concurrency' must be a number from 1 up or \"unlimited\"")
      }
    }
    whenBusy = try problems.part(whenBusy) {
      switch fields["when_busy"] {
      case .nil, .string("reject"): return .reject
      case .string("queue"): return .queue()
      case .string("restart"): return .restart
      case .string("join"): return .join
      default:
        throw bad("field 'when_busy' must be \"reject\", \"queue\", \"restart\" or \"join\"")
      }
    }
    reach = try problems.part(reach) {
      switch fields["across"] {
      case .nil: return reach
      case .string("machine"):
        if case .join = whenBusy {
          throw bad(
            "when_busy = \"join\" joins executions of one process, so it cannot be used with "
              + "across = \"machine\"; to share work between processes, define a service")
        }
        return .machine
      case .string("cluster"): return .cluster
      default: throw bad("field 'across' must be \"machine\" or \"cluster\"")
      }
    }
    isNeededOnce = try problems.part(false) {
      switch fields["scope"] {
      case .nil: return false
      case .string("cluster"): return true
      default: throw bad("field 'scope' must be \"cluster\"")
      }
    }
    resources = try Resources(fields, "uses", problems)
    replay = try problems.part(replay) {
      switch fields["replay"] {
      case .nil: return replay
      case .integer(let capacity) where capacity >= 0: return Int(clamping: capacity)
      default: throw bad("field 'replay' must be a number from 0 up")
      }
    }
    options.timeout = try problems.part(nil) { try duration(fields, "timeout", "timeout", bad) }
    options.retry = try problems.part(nil) { try retry(fields, problems) }
  }

  private func duration(
    _ fields: TableFields, _ name: String, _ path: String, _ bad: (String) -> any Error
  ) throws -> Duration? {
    let value = fields[name]
    if value.isNil { return nil }
    guard let duration = value.duration else {
      throw bad("field '\(path)' must be a number of seconds from 0 up, or a text such as \"30s\"")
    }
    return duration
  }

  private func retry(
    _ fields: TableFields, _ problems: DefinitionProblems
  ) throws -> ExecutionOptions.Retry? {
    let bad = problems.bad
    guard fields.type("retry") != .nil else { return nil }
    guard fields.type("retry") == .table else {
      throw bad("field 'retry' must be a table {times =, delay =, backoff =}")
    }
    fields.stack.rawGet("retry", at: fields.index)
    defer { fields.stack.pop() }
    let retry = TableFields(fields.stack, at: -1)
    try problems.lookForUnknownKeys(
      in: retry, of: Library.retry, "field 'retry' has an ")
    guard let times = retry.integer("times"), times >= 0 else {
      throw bad("field 'retry.times' must be a number from 0 up")
    }
    let backoff = retry["backoff"].isNil ? 1 : retry["backoff"].numberValue ?? -1
    guard (0...1e6).contains(backoff) else {
      throw bad("field 'retry.backoff' must be a number from 0 to a million")
    }
    return ExecutionOptions.Retry(
      times: Int(clamping: times),
      delay: try duration(retry, "delay", "retry.delay", bad) ?? .zero, backoff: backoff)
  }
}
