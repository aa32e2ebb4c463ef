import Scripting

/// Renders a run as text: values by a layout, all other events as messages. What many executions
/// have in common is one line at the end, where the causes of a failed run come last.
package final class TextRenderer: EventRenderer {
  private let layout: any OutputLayout
  private let errorLines = ErrorLines()
  // Each value looks at these three.
  @exclusivity(unchecked) private var begun = BegunLines()
  /// The number of executions that have started and not ended.
  private var running = 0
  private let output: ValueOutput
  private let report: Report
  @exclusivity(unchecked) private var leftOut = LeftOutNames()
  private var cancelled = NamedCount()
  /// Those that were not executed because another one failed.
  private var unexecuted = NamedCount()
  /// The failures of which it is not known yet whether the run goes on after them.
  private var causes: [(failure: Failure, place: String?)] = []
  /// True if the run has had such a failure.
  private var hasCause = false
  /// Why the first was not executed, which is told if nothing else tells why.
  private var unmet: Failure?
  private var services = ServiceNews()
  /// The number of executions of the run; nil for a batch, which has any number.
  private let total: Int?
  /// The number of executions that have ended, or were not begun.
  @exclusivity(unchecked) private var over = 0
  private let isEnding: () -> Bool

  /// - Parameters:
  ///   - total: the number of executions of the run; nil for a batch, which has any number.
  ///   - isEnding: returns true if the run is ending for a reason that was already reported.
  package init(
    _ layout: any OutputLayout, _ output: ValueOutput, _ report: Report, total: Int?,
    isEnding: @escaping () -> Bool
  ) {
    self.total = total
    self.layout = layout
    self.output = output
    self.report = report
    self.isEnding = isEnding
  }

  package var joinsStreams: Bool { Terminal.streamsAreOne }

  package func render(_ event: RunEvent) {
    switch event {
    // Nobody has asked for it, and it is nothing new.
    case .next(let record, _) where report.isQuiet && record.isNeed && record.isUpToDate: break
    case .next(let record, let values):
      // What is replayed is known as old before it is read.
      if record.isUpToDate { tellLeftOut() } else { tellLeftOutBeforeLast() }
      let begun = begun.isEmpty ? [] : begun.end(record, by: values)
      output.withLines(of: values, record, behind: begun) { layout.values($0, of: record) }
    case .unfinished(let record, let line):
      guard layout.showsUnfinishedLines, running == 1 || Terminal.isTerminal else { return }
      tellLeftOutBeforeLast()
      begun.add(line, of: record) { layout.unfinished($0, of: record) }
    case .standardError(let record, let bytes):
      tellLeftOutBeforeLast()
      guard layout.takesErrorLines else {
        return layout.errors(withoutBegunLine(bytes, of: record), of: record)
      }
      errorLines.append(bytes, of: record) { layout.errors($0, of: record) }
    case .queued(let record):
      report.note("\(record.label) waits for its turn")
    case .started(let record):
      running += 1
      report.note("\(record.label) starts")
      layout.began(record)
    case .upToDate(let record):
      leftOut.add(record)
      if report.isVerbose || total == 1 { tellLeftOut() }
    case .retry(let record, let attempt, let delay, let cause):
      let why = cause.map { ": \($0.text)" } ?? ""
      let when = delay > .zero ? " in \(delay.text)" : ""
      report.say("\(record.label): attempt \(attempt) follows\(when)\(why)")
      if let cause, !report.isQuiet { report.hiddenErrors(of: cause) }
    case .completed(let record):
      if !begun.isEmpty { begun.endAll(of: record) }
      end(record)
      report.note("\(record.label) is done")
    case .cancelled(let record):
      end(record)
      guard !isEnding(), !record.isReplaced else { break }
      if record.startTime == nil { return unexecuted.add(record.label) }
      if record.cancelledBy == ExecutionRecord.endOfHub {
        return report.say("\(record.label) was cancelled: its hub has ended")
      }
      report.note("\(record.label) was cancelled")
      if !report.isVerbose { cancelled.add(record.label) }
    case .failed(let record, let failure):
      end(record)
      // What a hub tells of has no id, and has been executed if it has started.
      if failure.kind == .dependency, record.id == nil, record.startTime == nil,
        record.entry == nil
      {
        unexecuted.add(record.label)
        unmet = unmet ?? failure
      } else {
        hasCause = true
        var failure = failure
        if failure.outer == nil { failure.call = record.call ?? failure.call }
        causes.append((failure, record.entry.map { "\($0.place):\($0.nameSuffix)" }))
        // A batch goes on.
        if record.entry != nil { tellCauses() }
      }
    case .goesOn: tellCauses()
    case .service(let command, _, let status, let call):
      if let news = services.text(status, of: command, named: call.visibleInLine) {
        report.say(news)
      }
    case .runFinished:
      errorLines.finishAll(layout.errors)
      summarize()
      noteUnmet()
      tellCauses()
    // The session reports unhandled errors and who is waited for; the echo of what starts shows steps.
    case .runStarted, .waits, .step, .skipped, .enabled, .unhandled: break
    }
  }

  private func tellCauses() {
    for (failure, place) in causes { report.failure(failure, at: place) }
    causes = []
  }

  /// Takes the failure of what was not executed for the cause, if there is no other: a service may be lost
  /// that only those use that wait.
  private func noteUnmet() {
    if !hasCause, var failure = unmet {
      // The message names what has failed.
      (failure.command, failure.call, failure.outer) = (nil, nil, nil)
      causes.append((failure, nil))
    }
    (hasCause, unmet) = (false, nil)
  }

  private func summarize() {
    tellLeftOut()
    if let sentence = cancelled.sentence("was cancelled", "were cancelled") { report.say(sentence) }
    if unexecuted.count > 0 { report.say("not executed: \(unexecuted.text)") }
    (cancelled, unexecuted, over) = (NamedCount(), NamedCount(), 0)
  }

  private func tellLeftOut() {
    for sentence in leftOut.sentences { report.say(sentence) }
    leftOut = LeftOutNames()
  }

  /// Tells of what was left out before the output of the last execution, which may go on.
  private func tellLeftOutBeforeLast() {
    if !leftOut.isEmpty, let total, over == total - 1 { tellLeftOut() }
  }

  /// Returns what a process that is being ended has written without the line of it that was shown.
  private func withoutBegunLine(
    _ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord?
  ) -> UnsafeRawBufferPointer {
    guard !begun.isEmpty, let record, record.outcome != nil else { return bytes }
    let begun = begun.end(record, by: bytes)
    return UnsafeRawBufferPointer(rebasing: bytes[begun.count...])
  }

  private func end(_ record: ExecutionRecord) {
    over += 1
    if record.startTime != nil { running -= 1 }
    errorLines.finish(record) { layout.errors($0, of: record) }
    layout.ended(record)
  }
}
