import EventLoop
import Platform
import RunnerBatch
import RunnerCore
import Scripting

/// A call of `attach`: shows a batch from its beginning, then as it goes on.
package struct Attachment {
  private let line: CommandLine
  private let address: ServerAddress
  private let batch: Int64

  package init(_ line: CommandLine, _ address: ServerAddress, batch: Int64) {
    self.line = line
    self.address = address
    self.batch = batch
  }

  /// Follows the batch to its end.
  ///
  /// - Returns: the exit status that the batch has.
  package func execute() throws -> Int32 {
    let reports = try BatchReports(line, plans: ["batch \(batch)"])
    let session = try Session(
      scriptName: "", arguments: [], line: line, confirmation: Confirmations.refuse)
    var status = ExitStatus.success
    let inner = try session.use {
      reports.removeOld()
      let link = ServerLink(address, on: session.loop)
      link.report(to: session.report)
      defer { link.close() }
      let failure = Once<Error>()
      link.onFailure = { failure.value = $0 }
      let run = RemoteRun(batch, link, in: session, line, reports)
      let progress = Progress(line, run, in: session)
      run.start(["batch \(batch)"])
      session.wait { run.isOver || failure.value != nil || session.isEnding }
      run.stop()
      progress?.stop()
      if let error = failure.value ?? run.failure { throw error }
      guard let end = run.end else {
        session.report.say("the batch continues; to end it: raclette :cancel \(batch)")
        return ExitStatus.failure
      }
      status = run.conclude(end, session, journal: address.name, reports)
      return status
    }
    return max(inner, status)
  }
}

extension RemoteRun {
  /// Finishes the reports of a batch that has ended; returns the exit status.
  func conclude(
    _ end: BatchState, _ session: Session, journal: String, _ reports: BatchReports,
    problems: [String] = []
  ) -> Int32 {
    let duration = (end.ended ?? end.now) - end.submitted
    let isComplete = counts.failed == 0 && counts.cancelled == 0 && problems.isEmpty
    var status = isComplete ? ExitStatus.success : ExitStatus.failure
    if let problem = reports.finishTests(started: end.submitted, duration: duration) {
      session.report.error(problem)
      status = ExitStatus.failure
    }
    status = session.interruptionStatus ?? status
    finish(exitCode: status, duration: duration)
    let summary = BatchEnd(
      journal: journal, batch: batch, started: end.submitted, duration: duration, status: status,
      counts: counts, problems: problems)
    return reports.finish(summary, in: session) ? status : max(status, ExitStatus.failure)
  }
}

extension ServerLink {
  /// Why `onPoll` is called.
  var silence: String {
    "notifications from \(address.name) do not arrive, as is usual behind a pooler in transaction "
      + "mode; polling more often instead"
  }

  /// Says when the connection is lost and when it is back, and that notifications do not arrive.
  func report(to report: Report) {
    let name = address.name
    onSilence = { [unowned self] in report.say(silence) }
    onChange = { problem in
      if let problem {
        report.say("the connection to \(name) is lost: \(problem); waiting for it")
      } else {
        report.say("the connection to \(name) is back")
      }
    }
  }
}
