import Journal
import RunnerCore
import Scripting

extension ExecutionEnd {
  /// Creates the journal's record of a result.
  init(_ result: BatchResult) {
    var state = RecordedState.completed
    var failure: Failure?
    switch result.outcome {
    case .completed, .skipped: break
    case .cancelled(let cause):
      state = .cancelled
      failure = cause
    case .failed(let cause):
      state = .failed
      failure = cause
    }
    self.init(
      execution: result.execution, key: result.executedKey, state: state, started: result.started,
      duration: result.duration, attempts: result.isUpToDate ? 0 : result.attempts,
      code: failure?.code.map { Int($0) },
      errorKind: failure?.kind.rawValue, error: failure?.text, output: result.output)
  }
}
