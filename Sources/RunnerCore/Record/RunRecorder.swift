import Journal
import LuaRuntime
import Platform
import Scripting

/// Records the executions of a run in a journal, with the run as a separate batch. A failure to
/// record is reported once and does not stop the run.
package final class RunRecorder: EventRenderer {
  private let path: String
  private let output: ValueOutput
  private let report: Report
  private let tails: OutputTails
  private var journal: Journal?
  private var batch: Int64 = 0
  private var claimed: [ObjectIdentifier: (execution: Int64, started: Double?)] = [:]
  private var count = 0

  /// - Throws: `JournalError` if the journal cannot be used.
  init(_ path: String, _ output: ValueOutput, _ report: Report) throws(JournalError) {
    self.path = path
    self.output = output
    self.report = report
    tails = OutputTails(output)
    try Journal(path, isCreated: true).close()
  }

  package var joinsStreams: Bool { false }

  package func render(_ event: RunEvent) {
    tails.render(event)
    switch event {
    case .runStarted(let names): attempt { () throws(JournalError) in try begin(names) }
    case .queued(let record): attempt { () throws(JournalError) in try claim(record) }
    case .started(let record):
      attempt { () throws(JournalError) in try claim(record) }
      claimed[ObjectIdentifier(record)]?.started = WallClock.seconds
    case .completed(let record): end(record, .completed, nil)
    case .failed(let record, let failure): end(record, .failed, failure)
    case .cancelled(let record): end(record, .cancelled, nil)
    // A run that another one replaces has no status of its own.
    case .runFinished(let summary): finish(Int(summary.exitCode ?? ExitStatus.success))
    case .waits, .step, .next, .unfinished, .standardError, .retry, .upToDate, .skipped, .goesOn,
      .enabled, .service, .unhandled:
      break
    }
  }

  private func attempt(_ body: () throws(JournalError) -> Void) {
    do throws(JournalError) { try body() } catch {
      report.error("\(error); the run is not recorded")
      journal = nil
    }
  }

  /// The number of an execution that has not ended.
  func number(of record: ExecutionRecord) -> Int64? {
    claimed[ObjectIdentifier(record)]?.execution
  }

  private func begin(_ names: [String]) throws(JournalError) {
    let journal = try Journal(path, isCreated: true)
    self.journal = journal
    count = 0
    batch = try journal.begin(
      BatchDescription(
        plan: names.joined(separator: " "), folder: currentFolder() ?? ".", jobs: 0), as: .run)
  }

  private func claim(_ record: ExecutionRecord) throws(JournalError) {
    guard let journal, claimed[ObjectIdentifier(record)] == nil else { return }
    count += 1
    let input = record.input.isNil ? nil : try? output.host.jsonValue(record.input)
    // A run is no entry of a plan: it is neither resumed nor skipped because of earlier records.
    let key = EntryKey("run", "\(batch)", "\(count)")
    let entry = PlanEntry(
      key: key, kind: .command, command: record.command,
      input: input.map { ($0.masked ?? $0).canonical.text } ?? "", plan: "run", line: count)
    if case .granted(let execution)? = try journal.commit(claims: [entry]).first {
      claimed[ObjectIdentifier(record)] = (execution, nil)
    }
  }

  private func end(_ record: ExecutionRecord, _ state: RecordedState, _ failure: Failure?) {
    // Executions that did not start were not claimed.
    guard let claim = claimed.removeValue(forKey: ObjectIdentifier(record)) else { return }
    let (output, attempts) = tails.take(record, failure)
    let end = ExecutionEnd(
      execution: claim.execution, state: state, started: claim.started,
      duration: claim.started.map { max(0, WallClock.seconds - $0) } ?? 0,
      attempts: record.isUpToDate ? 0 : attempts,
      code: failure?.code.map { Int($0) }, errorKind: failure?.kind.rawValue,
      error: failure?.masked.text, output: output)
    attempt { () throws(JournalError) in try journal?.commit(ends: [end]) }
  }

  private func finish(_ status: Int) {
    attempt { () throws(JournalError) in try journal?.finish(status: status) }
    journal?.close()
    journal = nil
    claimed = [:]
  }
}
