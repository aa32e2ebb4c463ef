import Journal
import LuaRuntime
import RunnerCore
import Scripting

/// The result of an entry.
package struct BatchResult {
  package enum Outcome {
    case completed
    case failed(Failure)
    case cancelled(Failure)
    /// It had completed in an earlier execution, or another batch has claimed it.
    case skipped(String)
  }

  package var planned: PlannedEntry
  package var outcome: Outcome
  /// The number of its execution in the journal; 0 without one.
  package var execution: Int64
  /// The start time in seconds since 1970; nil if it never began.
  package var started: Double?
  /// The duration in seconds.
  package var duration: Double
  package var attempts: Int
  /// True if its work was left out because its command is up to date.
  package var isUpToDate: Bool
  /// The executed key, if it differs from the claimed one.
  package var executedKey: EntryKey?
  /// The last lines of its values and output.
  package var output: [RecordedLine]

  package init(
    planned: PlannedEntry, outcome: Outcome, execution: Int64 = 0, started: Double? = nil,
    duration: Double = 0, attempts: Int = 0, isUpToDate: Bool = false,
    executedKey: EntryKey? = nil, output: [RecordedLine] = []
  ) {
    self.planned = planned
    self.outcome = outcome
    self.execution = execution
    self.started = started
    self.duration = duration
    self.attempts = attempts
    self.isUpToDate = isUpToDate
    self.executedKey = executedKey
    self.output = output
  }

  package var entry: PlanEntry { planned.entry }
}

/// Receives the result of each ended entry, on the main thread.
package protocol BatchObserver: AnyObject {
  func ended(_ result: BatchResult)
}

extension EntryCounts {
  package mutating func count(_ result: BatchResult) {
    if result.isUpToDate { upToDate += 1 }
    switch result.outcome {
    case .completed: completed += 1
    case .failed: failed += 1
    case .cancelled: cancelled += 1
    case .skipped: skipped += 1
    }
  }
}
