import RunnerCore
import Scripting

/// The reports of a batch: the files of `--summary` and `--junit`, and the table at its end.
package final class BatchReports: BatchObserver {
  private let line: CommandLine
  private let plans: [String]
  private let junit: JUnitReport?
  private let summary: ReportFile?
  private let statistics = BatchStatistics()

  /// - Throws: if a requested file cannot be written.
  package init(_ line: CommandLine, plans: [String]) throws(UsageError) {
    self.line = line
    self.plans = plans
    junit = try line[.junit].map { path throws(UsageError) in try JUnitReport(path) }
    summary = try line[.summary].map { path throws(UsageError) in try ReportFile(path) }
  }

  /// Removes the files of an earlier batch.
  package func removeOld() {
    junit?.removeOld()
    summary?.removeOld()
  }

  /// Adds what entries need to the test results, if these are wanted.
  func addNeeds(from stream: EventStream, _ tails: OutputTails, of host: ScriptHost) {
    if let junit { stream.add(NeedCases(junit, tails, host)) }
  }

  package func ended(_ result: BatchResult) {
    statistics.ended(result)
    junit?.ended(result)
  }

  /// Writes the test results.
  ///
  /// - Returns: the error message, if it failed.
  package func finishTests(started: Double, duration: Double) -> String? {
    junit?.finish(plans.joined(separator: " "), started: started, duration: duration)
  }

  /// Writes the summary and prints the table.
  ///
  /// - Returns: true if the requested file could be written.
  package func finish(_ end: BatchEnd, in session: Session) -> Bool {
    let summary = BatchSummary(plans: plans, end: end, statistics: statistics)
    var isWritten = true
    if let file = self.summary {
      file.write(summary.json.text + "\n")
      if let problem = file.finish() {
        session.report.error(problem)
        isWritten = false
      }
    }
    guard !line.has(.json), !session.report.isQuiet else { return isWritten }
    let time = Duration.milliseconds(Int64(end.duration * 1000)).shortText
    let count = end.counts.ended
    session.report.say(
      "\(count) \(count == 1 ? "entry" : "entries") in \(time): \(end.counts.text)")
    if count > 0 { Terminal.error(statistics.table(session.report.style)) }
    return isWritten
  }
}

/// The end of a batch, as its reports tell it.
package struct BatchEnd {
  /// The journal, as named in reports; nil for none.
  let journal: String?
  /// The batch's number in the journal.
  let batch: Int64?
  /// Seconds since 1970.
  let started: Double
  /// Seconds.
  let duration: Double
  /// The exit status.
  let status: Int32
  let counts: EntryCounts
  /// The problems that ended the batch early.
  let problems: [String]

  package init(
    journal: String?, batch: Int64?, started: Double, duration: Double, status: Int32,
    counts: EntryCounts, problems: [String] = []
  ) {
    self.journal = journal
    self.batch = batch
    self.started = started
    self.duration = duration
    self.status = status
    self.counts = counts
    self.problems = problems
  }
}
