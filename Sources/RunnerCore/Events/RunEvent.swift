import EventLoop
import Journal
import LuaRuntime
import Reactive
import Scripting

/// An event of a run. The terminal output, `--json` and the counts of a batch all derive from these
/// events.
package enum RunEvent {
  /// The run begins, with the names of the requested commands.
  case runStarted([String])
  /// An execution waits for a slot of its command.
  case queued(ExecutionRecord)
  /// An execution, or a request for one, waits for what others have.
  case waits(Contention)
  /// The work of an execution begins.
  case started(ExecutionRecord)
  /// The work of an execution is left out because its command is up to date.
  case upToDate(ExecutionRecord)
  /// An entry of a plan is not executed because it has completed in an earlier batch; the reason
  /// names that execution.
  case skipped(ExecutionRecord, reason: String)
  /// A step of an execution begins, of a command whose definition gives `steps`; the one before it
  /// has completed.
  case step(ExecutionRecord, WorkStep)
  /// A value, or several.
  case next(ExecutionRecord, SentValues)
  /// What a process has written of a line that it has not ended; the value that ends the line repeats
  /// it.
  case unfinished(ExecutionRecord, UnfinishedLine)
  /// A chunk of standard error of a process, valid only during the call; nil if the process belongs
  /// to no execution.
  case standardError(ExecutionRecord?, UnsafeRawBufferPointer)
  /// An attempt has failed, and the attempt with this number follows after a delay.
  case retry(ExecutionRecord, attempt: Int, delay: Duration, cause: Failure?)
  /// An execution has failed, or could not start.
  case failed(ExecutionRecord, Failure)
  case completed(ExecutionRecord)
  case cancelled(ExecutionRecord)
  /// After a failure, the run goes on, or takes its time to end.
  case goesOn
  /// A command has become enabled or disabled.
  case enabled(command: String, Bool)
  /// A service that the run uses has come into another state. The text is its call as it could be
  /// typed.
  case service(ScriptCommand, LuaValue, ServiceStatus, String)
  /// An error in a script that no execution has, and nothing observes.
  case unhandled(Failure)
  /// The run has ended.
  case runFinished(RunSummary)
}

/// The values that an execution sends at once.
package enum SentValues {
  case one(LuaValue)
  case batch(Batch<LuaValue>)

  func forEach(_ body: (LuaValue) -> Void) {
    switch self {
    case .one(let value): body(value)
    case .batch(let batch): batch.forEach(body)
    }
  }
}

/// The record of an execution in events.
package final class ExecutionRecord {
  /// The name of the command.
  package let command: String
  /// The execution's id; nil if it never starts.
  package let id: Int?
  package let input: LuaValue
  /// The index of its command in the run, from 0, which selects its colour.
  let colorIndex: Int
  /// The plan entry that requested it.
  package var entry: PlanEntry?
  /// Its number in the journal of a batch.
  package var recordedAs: Int64?
  /// The start time on the clock of the loop.
  package var startTime: Duration?
  /// The outcome of the execution; nil while it runs.
  var outcome: Outcome?

  enum Outcome {
    case completed, failed, cancelled
  }

  /// True if its work was left out because its command is up to date.
  package var isUpToDate = false
  /// How long the execution took whose result was restored from the cache; nil if none was.
  package var savedTime: Duration?
  /// The call as it could be typed, if the name of the command does not tell which one it is.
  var call: String?

  /// Its part of the session's trace, if there is one.
  var traced: TracedExecution?
  /// What has cancelled it, if a hub tells so.
  var cancelledBy: String?
  /// The name of what has cancelled executions that ran when their hub ended.
  package static let endOfHub = "hub"
  /// True if another run of the same plan replaces it.
  var isReplaced = false
  /// True if its processes own the terminal.
  var isInteractive = false
  /// True if others need it, and nobody has asked for it.
  var isNeed = false

  /// Its name in messages: the command, with the `id` from the plan, or with its input if the same
  /// command is executed with others.
  var label: String {
    if let entry, entry.kind == .malformed { return "\(entry.plan):\(entry.line)".visibleInLine }
    return ((call ?? command) + (entry?.nameSuffix ?? "")).visibleInLine
  }

  /// The time since its start.
  package var age: Duration { startTime.map { EventLoop.now - $0 } ?? .zero }

  package init(command: String, id: Int?, input: LuaValue, colorIndex: Int) {
    self.command = command
    self.id = id
    self.input = input
    self.colorIndex = colorIndex
  }
}

/// The result of a run.
package struct RunSummary: Equatable {
  var completed = 0
  var failed = 0
  var cancelled = 0
  /// Entries of a batch that had completed before; nil if not applicable.
  var skipped: Int?
  /// Nil for a run that another one replaced.
  var exitCode: Int32? = 0
  var duration = Duration.zero

  /// Takes over the counts of a batch.
  mutating func take(_ counts: EntryCounts) {
    completed = counts.completed
    failed = counts.failed
    cancelled = counts.cancelled
    skipped = counts.skipped
  }
}

/// Receives all events of a run in order, on the loop's thread.
package protocol EventRenderer: AnyObject {
  /// True if values and standard error of processes are one text for it.
  var joinsStreams: Bool { get }
  func render(_ event: RunEvent)
}
