import Commands
import EventLoop
import Journal
import LuaRuntime
import RunnerCore
import Scripting

/// Ends entries: records, counts and reports their outcomes.
extension BatchRun {
  /// Handles the end of work from a queue.
  func ended(_ work: Work, _ failure: Failure?, of command: ScriptCommand, in queue: CommandQueue) {
    queue.running -= 1
    if case .busy = queue.obstacle { wake(queue) }
    var failure = failure
    if case .restart = command.whenBusy, failure?.kind == .cancelled, queue.running > 0, !isStopping
    {
      failure?.message = "replaced by a later entry, as the command's when_busy is \"restart\""
    }
    ended(work, failure)
  }

  /// Handles the end of work; `failure` is nil if it completed.
  func ended(_ work: Work, _ failure: Failure?) {
    guard running.removeValue(forKey: work.number) != nil else { return }
    askPredicates()
    switch work.origin {
    case .need(_, let onEnd): onEnd(failure)
    case .entry(let planned, let execution):
      let (output, attempts) = work.record.map { tails.take($0, failure) } ?? ([], 1)
      let outcome: BatchResult.Outcome
      if let failure {
        outcome = failure.kind == .cancelled ? .cancelled(failure) : .failed(failure)
        if work.record == nil { tell(planned, failure) }
      } else {
        outcome = .completed
      }
      counts.retries += attempts - 1
      conclude(
        BatchResult(
          planned: planned, outcome: outcome, execution: execution, started: work.started,
          duration: (EventLoop.now - work.startTime) / .seconds(1), attempts: attempts,
          isUpToDate: failure == nil && work.record?.isUpToDate == true,
          executedKey: work.executedKey, output: output))
    }
    advance()
  }

  /// Fails an entry that was not executed.
  func fail(_ planned: PlannedEntry, _ failure: Failure, execution: Int64) {
    tell(planned, failure)
    conclude(BatchResult(planned: planned, outcome: .failed(failure), execution: execution))
  }

  private func tell(_ planned: PlannedEntry, _ failure: Failure) {
    stream.end(record(of: planned), failure)
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
