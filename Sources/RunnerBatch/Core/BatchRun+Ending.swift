import Commands
import EventLoop
import Journal
import LuaRuntime
import RunnerCore
import Scripting

/// Ends entries: records, counts and reports their outcomes.
extension BatchRun {
  /// Handles the end of an entry that has started; `failure` is nil if it completed.
  func ended(_ entry: BatchEntry, _ request: ExecutionRequest, _ failure: Failure?) {
    var failure = failure
    if failure?.kind == .cancelled, !isStopping, request.queue.running > 0,
      case .restart? = request.queue.command?.whenBusy
    {
      failure?.message = "replaced by a later entry, as the command's when_busy is \"restart\""
    }
    let (output, attempts) = entry.record.map { tails.take($0, failure) } ?? ([], 1)
    let outcome: BatchResult.Outcome
    if let failure {
      outcome = failure.kind == .cancelled ? .cancelled(failure) : .failed(failure)
      if entry.record == nil { tell(entry, failure) }
    } else {
      outcome = .completed
    }
    counts.retries += attempts - 1
    conclude(
      BatchResult(
        planned: entry.planned, outcome: outcome, execution: entry.execution,
        started: entry.started, duration: (EventLoop.now - entry.startTime) / .seconds(1),
        attempts: attempts, isUpToDate: failure == nil && entry.record?.isUpToDate == true,
        executedKey: entry.executedKey, output: output))
  }

  /// Fails an entry that was not executed.
  func fail(_ entry: BatchEntry, _ failure: Failure) {
    tell(entry, failure)
    conclude(
      BatchResult(
        planned: entry.planned, outcome: .failed(failure), execution: entry.execution))
  }

  private func tell(_ entry: BatchEntry, _ failure: Failure) {
    let record = record(of: entry.planned)
    record.recordedAs = entry.recordedAs
    stream.end(record, failure)
  }

  /// A record of an entry that is not executed.
  private func record(of planned: PlannedEntry) -> ExecutionRecord {
    let record = ExecutionRecord(
      command: planned.entry.command, id: nil, input: .nil,
      colorIndex: stream.colorIndex(of: planned.entry.command))
    record.entry = planned.entry
    return record
  }

  /// Records the end of a claimed entry.
  private func conclude(_ result: BatchResult) {
    log.record([ExecutionEnd(result.masked)], releases: [])
    end(result)
  }

  func end(_ result: BatchResult) {
    let result = result.masked
    counts.count(result)
    if case .skipped(let reason) = result.outcome {
      stream.send(.skipped(record(of: result.planned), reason: reason))
    }
    for observer in observers { observer.ended(result) }
    if case .failed = result.outcome, options.failsFast, !isStopping {
      session.report.say("stopping after the first failure")
      stop()
    }
  }
}
