import EventLoop
import Journal
import LuaRuntime
import Reactive
import Scripting

/// One thing that happens in a run. What the terminal shows, what `--json` prints and what a batch
/// counts are all made of these.
enum RunEvent {
  /// The run begins, with the names of what was asked for.
  case runStarted([String])
  /// An execution waits for a slot of its command.
  case queued(ExecutionRecord)
  /// The work of an execution begins.
  case started(ExecutionRecord)
  /// A value, or several.
  case next(ExecutionRecord, SentValues)
  /// A chunk of what a process wrote to standard error, valid only during the call; nil if the
  /// process belongs to no execution.
  case standardError(ExecutionRecord?, UnsafeRawBufferPointer)
  /// An attempt has failed, and another one of this number follows after a delay.
  case retry(ExecutionRecord, attempt: Int, delay: Duration, cause: Failure?)
  /// An execution has failed, or could not take place.
  case failed(ExecutionRecord, Failure)
  case completed(ExecutionRecord)
  case cancelled(ExecutionRecord)
  /// A command has become enabled or disabled.
  case enabled(command: String, Bool)
  /// The run is over.
  case runFinished(RunSummary)
}

/// What an execution sends at once.
enum SentValues {
  case one(LuaValue)
  case batch(Batch<LuaValue>)

  func forEach(_ body: (LuaValue) -> Void) {
    switch self {
    case .one(let value): body(value)
    case .batch(let batch): batch.forEach(body)
    }
  }
}

/// An execution, as events tell of it.
final class ExecutionRecord: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  /// The name of the command.
  let command: String
  /// The execution's id; nil for one that does not take place.
  let id: Int?
  let input: LuaValue
  /// Which of the run's commands it is of, from 0: what tells it from others at a glance.
  let colorIndex: Int
  /// The entry of a plan that asks for it.
  var entry: PlanEntry?
  /// Its number in the journal of a batch.
  var recordedAs: Int64?
  /// On the clock of the loop.
  var startTime: Duration?
  /// How the execution ended; nil while it has not.
  var outcome: Outcome?

  enum Outcome {
    case completed, failed, cancelled
  }

  /// Whether it makes place for another run of the same.
  var isReplaced = false
  /// Whether its processes own the terminal.
  var isInteractive = false

  /// What it is called in messages: the command, with the `id` that a plan gives it.
  var label: String { (command + (entry?.nameSuffix ?? "")).visibleInLine }

  /// For how long it has run.
  var age: Duration { startTime.map { EventLoop.now - $0 } ?? .zero }

  init(command: String, id: Int?, input: LuaValue, colorIndex: Int) {
    self.command = command
    self.id = id
    self.input = input
    self.colorIndex = colorIndex
  }
}

/// What a run came to.
struct RunSummary: Equatable {
  var completed = 0
  var failed = 0
  var cancelled = 0
  /// Entries of a batch that had completed before; nil where there are none such.
  var skipped: Int?
  /// Nil for a run that another one has replaced.
  var exitCode: Int32? = 0
  var duration = Duration.zero

  /// Counts what a batch counts.
  mutating func take(_ counts: BatchCounts) {
    completed = counts.completed
    failed = counts.failed
    cancelled = counts.cancelled
    skipped = counts.skipped
  }
}

/// Receives all events of a run in order, on the loop's thread.
protocol EventRenderer: AnyObject {
  func render(_ event: RunEvent)
}
