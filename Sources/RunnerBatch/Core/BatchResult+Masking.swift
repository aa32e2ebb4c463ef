import RunnerCore
import Scripting

extension BatchResult {
  /// The result with secrets masked; its output was masked on arrival.
  package var masked: BatchResult {
    guard !Secrets.isEmpty else { return self }
    var result = self
    result.planned = PlannedEntry(entry: entry.masked, problem: planned.problem)
    switch outcome {
    case .failed(let failure): result.outcome = .failed(failure.masked)
    case .cancelled(let failure): result.outcome = .cancelled(failure.masked)
    case .completed, .skipped: break
    }
    return result
  }
}
