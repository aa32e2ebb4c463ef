/// One entry of a plan, as the journal keeps it.
public struct PlanEntry: Sendable, Hashable {
  /// What sort of entry it is.
  public enum Kind: String, Sendable {
    case command, script
    /// A line that says nothing which could be executed.
    case malformed
  }

  /// What it is by its content.
  public var key: EntryKey
  /// What sort of entry it is.
  public var kind: Kind
  /// The name of the command, or the path of the script.
  public var command: String
  /// The input, or the script's arguments, as canonical JSON; of a malformed line the line.
  public var input: String
  /// The `id` that the plan gives it.
  public var name: String?
  /// What tells this `id` from others', where it is not recorded as it is.
  public var nameKey: EntryKey?
  /// The plan it stands in, as messages call it.
  public var plan: String
  /// Its line there, from 1.
  public var line: Int

  /// An entry.
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

/// What the journal says to the wish to execute an entry.
public enum Claim: Sendable, Hashable {
  /// It is recorded as running under this number and may start.
  case granted(execution: Int64)
  /// It has completed, in this execution.
  case completed(execution: Int64)
  /// Another batch that is at work has it.
  case taken(batch: Int64)
  /// The plan has used its `id` before. It is recorded as running under this number, so that its
  /// failure can be.
  case repeatedName(execution: Int64, line: Int, plan: String)
}

/// How an execution ended.
public struct ExecutionEnd: Sendable {
  /// Its number in the journal.
  public var execution: Int64
  /// What was executed, if that is not what was claimed: a script may change in between.
  public var key: EntryKey?
  /// How it ended.
  public var state: RecordedState
  /// Seconds since 1970; nil if it never began.
  public var started: Double?
  /// Seconds.
  public var duration: Double
  /// How often it tried.
  public var attempts: Int
  /// The exit status of its process, where that is what failed.
  public var code: Int?
  /// What sort of error it failed with.
  public var errorKind: String?
  /// The error's message.
  public var error: String?
  /// The last lines of what it sent and wrote.
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

/// Where a recorded execution stands.
public enum RecordedState: String, Sendable, CaseIterable {
  /// Claimed: it runs or is about to.
  case running
  case completed, failed, cancelled
  /// Its batch ended without a word, by `kill -9` or a power failure: it may have run.
  case interrupted
}
