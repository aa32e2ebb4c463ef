import Journal
import LuaRuntime
import RunnerCore
import Scripting

/// The result of an entry.
struct BatchResult {
  enum Outcome {
    case completed
    case failed(Failure)
    case cancelled(Failure)
    /// It had completed in an earlier execution, or another batch has claimed it.
    case skipped(String)
  }

  var planned: PlannedEntry
  var outcome: Outcome
  /// The number of its execution in the journal; 0 without one.
  var execution: Int64 = 0
  /// The start time in seconds since 1970; nil if it never began.
  var started: Double?
  /// The duration in seconds.
  var duration = 0.0
  var attempts = 0
  /// True if its work was left out because its command is up to date.
  var isUpToDate = false
  /// The executed key, if it differs from the claimed one.
  var executedKey: EntryKey?
  /// The last lines of its values and output.
  var output: [RecordedLine] = []

  var entry: PlanEntry { planned.entry }
}

/// Receives the result of each ended entry, on the main thread.
protocol BatchObserver: AnyObject {
  func ended(_ result: BatchResult)
}

extension EntryCounts {
  mutating func count(_ result: BatchResult) {
    if result.isUpToDate { upToDate += 1 }
    switch result.outcome {
    case .completed: completed += 1
    case .failed: failed += 1
    case .cancelled: cancelled += 1
    case .skipped: skipped += 1
    }
  }
}
