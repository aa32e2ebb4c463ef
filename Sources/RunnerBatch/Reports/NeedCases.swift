import EventLoop
import LuaRuntime
import RunnerCore
import Scripting

/// Adds what entries of a batch need to its test results: each execution has a record without an entry. On
/// the loop's thread.
final class NeedCases: EventRenderer {
  private let report: JUnitReport
  private let tails: OutputTails
  private let host: ScriptHost

  /// - Parameter tails: has received each event before.
  init(_ report: JUnitReport, _ tails: OutputTails, _ host: ScriptHost) {
    (self.report, self.tails, self.host) = (report, tails, host)
  }

  package var joinsStreams: Bool { true }

  package func render(_ event: RunEvent) {
    switch event {
    case .completed(let record): end(record, nil)
    case .failed(let record, let failure): end(record, failure.masked)
    case .cancelled(let record): end(record, Failure(.cancelled, "it was cancelled"))
    default: break
    }
  }

  private func end(_ record: ExecutionRecord, _ failure: Failure?) {
    guard record.entry == nil else { return }
    let outcome: BatchResult.Outcome =
      switch failure {
      case nil: .completed
      case let failure? where failure.kind == .cancelled: .cancelled(failure)
      case let failure?: .failed(failure)
      }
    let call = Secrets.masked(host.call(of: record.command, record.input))
    report.add(
      JUnitReport.Case(
        name: "\(call) (needed)", suite: record.command, outcome: outcome,
        isUpToDate: record.isUpToDate, duration: record.age / .seconds(1),
        output: tails.take(record, failure).output))
  }
}
