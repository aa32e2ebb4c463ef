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
      report = AgentReport()
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
    case .queued, .started, .upToDate, .unfinished, .standardError, .retry, .goesOn, .enabled,
      .unhandled, .service:
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
    if let failure {
      // Not executed, because another one has failed.
      guard failure.kind != .dependency || record.id != nil else {
        report.unexecuted.add(record.label)
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
        report.quiet.add(record.label + (record.isUpToDate ? " (up to date)" : ""))
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

/// The first line of an output that looks like an error, and what follows it.
private struct FirstError {
  private static let context = 5
  /// A longer line is looked at in pieces.
  private static let longest = 4 << 10

  private var splitter = LineSplitter(limit: longest, openEnd: Secrets.openEnd)
  private(set) var lines: [String] = []
  private var isComplete: Bool { lines.count >= Self.context }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard !isComplete else { return }
    var found: [String] = []
    var hasBegun = !lines.isEmpty
    let room = Self.context - lines.count
    splitter.append(bytes) { piece in
      hasBegun = hasBegun || Self.isError(piece.bytes)
      if hasBegun, found.count < room { found.append(AgentReport.text(of: piece.bytes)) }
      return found.count < room
    }
    lines += found
  }

  /// True if a line has a word that begins with `error`, `fail` or `panic`, in letters of any case.
  private static func isError(_ line: UnsafeRawBufferPointer) -> Bool {
    for start in line.indices {
      guard let first = words[line[start] | 0x20] else { continue }
      for word in first where line.count - start >= word.count {
        if zip(line[start...], word).allSatisfy({ $0 | 0x20 == $1 }) { return true }
      }
    }
    return false
  }

  private static let words: [UInt8: [[UInt8]]] = Dictionary(
    grouping: ["error", "fail", "panic", "fatal", "exception"].map { Array($0.utf8) }
  ) { $0[0] }
}
