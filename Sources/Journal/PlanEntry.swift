/// One entry of a plan, as the journal stores it.
public struct PlanEntry: Sendable, Hashable {
  /// The kind of an entry.
  public enum Kind: String, Sendable {
    case command, script
    /// A line without anything that could be executed.
    case malformed
  }

  /// The key of its content.
  public var key: EntryKey
  /// The kind of entry.
  public var kind: Kind
  /// The name of the command, or the path of the script.
  public var command: String
  /// The input, or the script's arguments, as canonical JSON; for a malformed line, the line
  /// itself.
  public var input: String
  /// The `id` that the plan gives it.
  public var name: String?
  /// The key that distinguishes this `id` from others, if it is not recorded verbatim.
  public var nameKey: EntryKey?
  /// The plan that contains it, as named in messages.
  public var plan: String
  /// Its line there, from 1.
  public var line: Int
  /// The origin of the request, such as a page; nil for an entry of a plan, and for a run.
  public var requester: String?

  /// An entry with these values.
  public init(
    key: EntryKey, kind: Kind, command: String, input: String, name: String? = nil, plan: String,
    line: Int
  ) {
    self.key = key
    self.kind = kind
    self.command = command
    self.input = input
    self.name = name
    self.plan = plan
    self.line = line
  }
}

/// The journal's answer to a request to execute an entry.
public enum Claim: Sendable, Hashable {
  /// It is recorded as running under this number and may start.
  case granted(execution: Int64)
  /// The entry has completed, in this execution.
  case completed(execution: Int64)
  /// Another running batch has claimed it.
  case taken(batch: Int64)
  /// The plan has used its `id` before. It is recorded as running under this number, so that its
  /// failure can be recorded.
  case repeatedName(execution: Int64, line: Int, plan: String)
}

/// The end of an execution.
public struct ExecutionEnd: Sendable {
  /// Its number in the journal.
  public var execution: Int64
  /// The key of the executed content, if it differs from the claimed one: a script may change in
  /// between.
  public var key: EntryKey?
  /// The final state.
  public var state: RecordedState
  /// The start in seconds since 1970; nil if it never began.
  public var started: Double?
  /// The duration in seconds.
  public var duration: Double
  /// The number of attempts; 0 if its command was up to date, so that its work was left out.
  public var attempts: Int
  /// The exit status of its process, if the execution failed because of it.
  public var code: Int?
  /// The kind of error it failed with.
  public var errorKind: String?
  /// The error's message.
  public var error: String?
  /// The last lines of its output.
  public var output: [RecordedLine]

  /// The end of an execution.
  public init(
    execution: Int64, key: EntryKey? = nil, state: RecordedState, started: Double?,
    duration: Double, attempts: Int = 1, code: Int? = nil, errorKind: String? = nil,
    error: String? = nil, output: [RecordedLine] = []
  ) {
    self.execution = execution
    self.key = key
    self.state = state
    self.started = started
    self.duration = duration
    self.attempts = attempts
    self.code = code
    self.errorKind = errorKind
    self.error = error
    self.output = output
  }
}

/// The state of a recorded execution.
public enum RecordedState: String, Sendable, CaseIterable {
  /// Claimed: it runs or is about to.
  case running
  case completed, failed, cancelled
  /// The batch ended without recording its end, because of `kill -9` or a power failure: the
  /// execution may have run.
  case interrupted

  /// The states of executions that have ended without success.
  package static let unsuccessful: Set<RecordedState> = [.failed, .cancelled, .interrupted]
}
