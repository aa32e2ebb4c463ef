import Scripting

/// Renders a run as text: values by a layout, all other events as messages.
package final class TextRenderer: EventRenderer {
  private let layout: any OutputLayout
  private let errorLines = ErrorLines()
  private let output: ValueOutput
  private let report: Report
  /// The commands that were not executed because a dependency failed, which was reported.
  private var unexecuted: [String] = []
  /// Returns true if the run is ending for a reason that was already reported.
  private let isEnding: () -> Bool

  package init(
    _ layout: any OutputLayout, _ output: ValueOutput, _ report: Report,
    isEnding: @escaping () -> Bool
  ) {
    self.layout = layout
    self.output = output
    self.report = report
    self.isEnding = isEnding
  }

  package func render(_ event: RunEvent) {
    switch event {
    case .next(let record, let values):
      output.withLines(of: values, record) { layout.values($0, of: record) }
    case .standardError(let record, let bytes):
      // A secret may be split at the end of a chunk, but not at the end of a line.
      guard layout.takesErrorLines || !Secrets.isEmpty else {
        return layout.errors(bytes, of: record)
      }
      errorLines.append(bytes, of: record) { layout.errors($0, of: record) }
    case .queued(let record):
      report.note("\(record.label) waits for its turn")
    case .started(let record):
      report.note("\(record.label) starts")
      layout.began(record)
    case .upToDate(let record): report.say("\(record.label) is up to date")
    case .retry(let record, let attempt, let delay, let cause):
      let why = cause.map { ": \($0.text)" } ?? ""
      let when = delay > .zero ? " in \(delay.text)" : ""
      report.say("\(record.label): attempt \(attempt) follows\(when)\(why)")
      if let cause, !report.isQuiet { report.hiddenErrors(of: cause) }
    case .completed(let record):
      end(record)
      report.note("\(record.label) is done")
    case .cancelled(let record):
      end(record)
      if !isEnding(), !record.isReplaced { report.say("\(record.label) was cancelled") }
    case .failed(let record, let failure):
      end(record)
      if failure.kind == .dependency, record.id == nil, record.entry == nil {
        unexecuted.append(record.command)
      } else {
        var failure = failure
        if failure.outer == nil { failure.call = record.call ?? failure.call }
        report.failure(failure, at: record.entry.map { "\($0.place):\($0.nameSuffix)" })
      }
    case .runFinished:
      errorLines.finishAll(layout.errors)
      if !unexecuted.isEmpty {
        report.say("not executed: \(unexecuted.joined(separator: ", "))")
      }
      unexecuted = []
    // Of an unhandled error the session tells.
    case .runStarted, .skipped, .enabled, .unhandled: break
    }
  }

  private func end(_ record: ExecutionRecord) {
    errorLines.finish(record) { layout.errors($0, of: record) }
    layout.ended(record)
  }
}
