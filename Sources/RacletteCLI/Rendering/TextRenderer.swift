import Scripting

/// Shows a run to people: values by a layout, everything else in words.
final class TextRenderer: EventRenderer {
  private let layout: any OutputLayout
  private let errorLines = ErrorLines()
  private let output: ValueOutput
  private let report: Report
  /// What was not executed because something that it needs failed, which was told.
  private var unexecuted: [String] = []
  /// Whether the run is being ended, and why was told already.
  private let isEnding: () -> Bool

  init(
    _ layout: any OutputLayout, _ output: ValueOutput, _ report: Report,
    isEnding: @escaping () -> Bool
  ) {
    self.layout = layout
    self.output = output
    self.report = report
    self.isEnding = isEnding
  }

  func render(_ event: RunEvent) {
    switch event {
    case .next(let record, let values):
      output.withLines(of: values) { layout.values($0, of: record) }
    case .standardError(let record, let bytes):
      // A secret may be cut in two where a chunk ends, but not where a line does.
      guard layout.takesErrorLines || !Secrets.isEmpty else {
        return layout.errors(bytes, of: record)
      }
      errorLines.append(bytes, of: record) { layout.errors($0, of: record) }
    case .queued(let record):
      report.note("\(record.label) waits for its turn")
    case .started(let record):
      report.note("\(record.label) starts")
      layout.began(record)
    case .retry(let record, let attempt, let delay, let cause):
      let why = cause.map { ": \($0.text)" } ?? ""
      let when = delay > .zero ? " in \(delay.limitText)" : ""
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
        report.failure(failure, at: record.entry.map { "\($0.place):\($0.nameSuffix)" })
      }
    case .runFinished:
      errorLines.finishAll(layout.errors)
      if !unexecuted.isEmpty {
        report.say("not executed: \(unexecuted.joined(separator: ", "))")
      }
      unexecuted = []
    case .runStarted, .enabled: break
    }
  }

  private func end(_ record: ExecutionRecord) {
    errorLines.finish(record) { layout.errors($0, of: record) }
    layout.ended(record)
  }
}
