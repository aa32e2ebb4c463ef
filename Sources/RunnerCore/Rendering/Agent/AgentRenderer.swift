import EventLoop
import Journal
import Scripting

/// Renders a run for a program that reads text and pays for each line, such as an agent: nothing
/// while it runs, then at most 60 lines with the failures first. The rest is in the journal, by the
/// numbers that it names.
package final class AgentRenderer: EventRenderer {
  private let output: ValueOutput
  private let tails: OutputTails
  /// Returns the number of an execution in the journal, if it is recorded.
  private let number: (ExecutionRecord) -> Int64?
  private var found: [ObjectIdentifier: Found] = [:]
  private var report = AgentReport()
  private var requested: Set<String> = []
  /// The first that was not executed because of a failure, which is shown if no other is.
  private var unmet: AgentReport.Ended?

  package init(_ output: ValueOutput, number: @escaping (ExecutionRecord) -> Int64?) {
    self.output = output
    self.number = number
    tails = OutputTails(output)
  }

  package var joinsStreams: Bool { false }

  package func render(_ event: RunEvent) {
    tails.render(event)
    switch event {
    case .runStarted(let names):
      (report, unmet) = (AgentReport(), nil)
      requested = Set(names)
    case .standardError(let record?, let bytes):
      found[ObjectIdentifier(record), default: Found()].inErrors.append(bytes)
    case .next(let record, let values):
      // Most tools write their errors there, some to standard output.
      output.withLines(of: values, record) { lines in
        found[ObjectIdentifier(record), default: Found()].inOutput.append(lines)
      }
    case .completed(let record): end(record, nil)
    case .failed(let record, let failure): end(record, failure)
    case .cancelled(let record):
      if record.startTime == nil {
        report.unexecuted.add(record.label)
      } else if !record.isReplaced {
        report.cancelled.add(record.label)
      }
      forget(record)
    case .skipped: report.skipped += 1
    case .runFinished(let summary): finish(summary)
    case .queued, .waits, .started, .step, .upToDate, .unfinished, .standardError, .retry, .goesOn,
      .enabled, .unhandled, .service:
      break
    }
  }

  private func end(_ record: ExecutionRecord, _ failure: Failure?) {
    var ended = AgentReport.Ended(
      label: record.label, duration: record.startTime.map { EventLoop.now - $0 },
      number: number(record))
    let (lines, attempts) = tails.take(record, failure)
    ended.attempts = attempts
    ended.isUpToDate = record.isUpToDate
    ended.isRestored = record.savedTime != nil
    if let failure {
      // Not executed, because another one has failed.
      guard failure.kind != .dependency || record.id != nil else {
        report.unexecuted.add(record.label)
        ended.failure = failure.masked.message
        unmet = unmet ?? ended
        return forget(record)
      }
      ended.failure = failure.masked.message
      ended.code = failure.code.map { Int($0) }
      ended.firstError = found[ObjectIdentifier(record)]?.lines ?? []
      ended.take(lines)
      report.failed.append(ended)
    } else {
      if requested.contains(record.command) { ended.take(lines) }
      if ended.lines.isEmpty {
        report.quiet.add(record.label + (ended.reasonToSkip.map { " (\($0))" } ?? ""))
      } else {
        report.completed.append(ended)
      }
    }
    forget(record)
  }

  private func forget(_ record: ExecutionRecord) {
    found[ObjectIdentifier(record)] = nil
  }

  private func finish(_ summary: RunSummary) {
    if report.failed.isEmpty, let unmet { report.failed.append(unmet) }
    let text = report.text(duration: summary.duration, exitCode: summary.exitCode)
    output.write(text)
    report = AgentReport()
  }
}

/// The first errors in the streams of an execution.
private struct Found {
  var inErrors = FirstError()
  var inOutput = FirstError()

  var lines: [String] { inErrors.lines.isEmpty ? inOutput.lines : inErrors.lines }
}
