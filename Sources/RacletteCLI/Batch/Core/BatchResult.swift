import Journal
import LuaRuntime
import Scripting

/// What became of an entry.
struct BatchResult {
  enum Outcome {
    case completed
    case failed(Failure)
    case cancelled(Failure)
    /// It had completed in an earlier execution, or another batch has it.
    case skipped(String)
  }

  let planned: PlannedEntry
  let outcome: Outcome
  /// The number of its execution in the journal; 0 without one.
  var execution: Int64 = 0
  /// Seconds since 1970; nil if it never began.
  var started: Double?
  /// Seconds.
  var duration = 0.0
  var attempts = 0
  /// What was executed, if that is not what was claimed.
  var executedKey: EntryKey?
  /// The last lines of what it sent and wrote.
  var output: [RecordedLine] = []

  var entry: PlanEntry { planned.entry }
}

/// Is told of each entry that is over, on the main thread.
protocol BatchObserver: AnyObject {
  func ended(_ result: BatchResult)
}

/// How many entries came to what.
struct BatchCounts: Equatable {
  var completed = 0
  var failed = 0
  var cancelled = 0
  var skipped = 0
  /// Further attempts.
  var retries = 0

  var ended: Int { completed + failed + cancelled + skipped }

  mutating func count(_ outcome: BatchResult.Outcome) {
    switch outcome {
    case .completed: completed += 1
    case .failed: failed += 1
    case .cancelled: cancelled += 1
    case .skipped: skipped += 1
    }
  }
}
