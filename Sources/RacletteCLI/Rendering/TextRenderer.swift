import Scripting

/// Shows a run to people: values by a layout, everything else in words.
final class TextRenderer: EventRenderer {
  private let layout: any OutputLayout
  private let output: ValueOutput
  private let report: Report
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
      layout.errors(bytes, of: record)
    case .queued(let record):
      report.note("\(record.command) waits for its turn")
    case .started(let record):
      report.note("\(record.command) starts")
      layout.began(record)
    case .retry(let record, let attempt, let delay, let cause):
      let why = cause.map { ": \($0.message)" } ?? ""
      let when = delay > .zero ? " in \(delay.limitText)" : ""
      report.say("\(record.command): attempt \(attempt) follows\(when)\(why)")
    case .completed(let record):
      layout.ended(record)
      report.note("\(record.command) is done")
    case .cancelled(let record):
      layout.ended(record)
      if !isEnding(), !record.isReplaced { report.say("\(record.command) was cancelled") }
    case .failed(let record, let failure):
      layout.ended(record)
      report.failure(failure, at: record.entry?.place)
    case .runStarted, .enabled, .runFinished: break
    }
  }
}
