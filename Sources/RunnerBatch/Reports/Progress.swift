import EventLoop
import LineEditor
import Platform
import RunnerCore
import Scripting

/// What a display of progress tells of a batch.
package protocol ProgressSource: AnyObject {
  /// The outcomes so far.
  var counts: EntryCounts { get }
  /// The number of entries: exact once all are known, estimated before; nil if nothing is known.
  var total: (count: Int, isExact: Bool)? { get }
  /// The commands that run, sorted.
  var runningCommands: [String] { get }
  /// The commands that entries wait for because they are not enabled, if nothing runs.
  var awaitedCommands: [String] { get }
}

/// Shows the progress of a batch: a bar at a terminal, otherwise a line every few seconds.
package final class Progress {
  enum Mode: String, CaseIterable {
    case auto, always, never
  }

  private unowned let batch: any ProgressSource
  private let report: Report
  private let isBar: Bool
  private let startTime = EventLoop.now
  private var timer: Timer?
  private var isShown = false

  /// - Returns: nil if the mode that an option chooses shows nothing.
  package init?(_ line: CommandLine, _ batch: any ProgressSource, in session: Session) {
    let mode = line[.progress].flatMap(Mode.init) ?? .auto
    self.batch = batch
    report = session.report
    let isTerminal = isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb"
    switch mode {
    case .never: return nil
    case .auto:
      if session.report.isQuiet { return nil }
      isBar = isTerminal
    case .always: isBar = isTerminal
    }
    let period = Duration.milliseconds(isBar ? 100 : 5_000)
    timer = session.loop.timer(after: period, every: period) { [unowned self] in show() }
    // The display must not keep the loop alive.
    timer?.unref()
    if isBar { Terminal.writers.willWrite = { [weak self] in self?.hide() } }
  }

  package func stop() {
    timer?.cancel()
    timer = nil
    guard isBar else { return }
    hide()
    Terminal.writers.willWrite = nil
  }

  private func show() {
    if isBar {
      isShown = true
      Terminal.transient("\r\u{1B}[K" + bar(width: TerminalSize(of: STDERR_FILENO).columns))
    } else {
      Terminal.error("raclette: \(text)\n")
    }
  }

  private func hide() {
    guard isShown else { return }
    isShown = false
    Terminal.transient("\r\u{1B}[K")
  }

  // MARK: Text

  private var text: String {
    let counts = batch.counts
    let age = (EventLoop.now - startTime) / .seconds(1)
    // Skipped entries say nothing about the speed.
    let executed = counts.ended - counts.skipped
    let rate = age > 0 ? Double(executed) / age : 0
    var parts: [String] = []
    let total = batch.total
    if let total {
      parts.append("\(counts.ended)/\(total.isExact ? "" : "~")\(total.count)")
    } else {
      parts.append("\(counts.ended) done")
    }
    if counts.failed > 0 {
      parts.append(report.style.error("\(counts.failed) failed"))
    }
    if counts.skipped > 0 { parts.append("\(counts.skipped) skipped") }
    parts.append(rate >= 10 ? "\(Int(rate))/s" : "\(Double(Int(rate * 10)) / 10)/s")
    if let total, rate > 0, total.count > counts.ended {
      let rest = Double(total.count - counts.ended) / rate
      parts.append("\(Duration.seconds(Int64(rest.rounded(.up))).shortText) left")
    }
    let names = batch.runningCommands
    if !names.isEmpty { parts.append(names.prefix(3).joined(separator: ", ").visibleInLine) }
    let awaited = batch.awaitedCommands
    if !awaited.isEmpty {
      parts.append("waiting until \(awaited.joined(separator: ", ").visibleInLine) is enabled")
    }
    return parts.joined(separator: "  ")
  }

  private func bar(width: Int) -> String {
    // The last column stays free, because some terminals wrap after it.
    guard let total = batch.total, total.count > 0, width >= 40 else {
      return visiblyClipped(text, width - 1)
    }
    let length = min(24, width / 4)
    let share = min(1, Double(batch.counts.ended) / Double(total.count))
    let full = Int(share * Double(length))
    let bar =
      String(repeating: "█", count: full) + String(repeating: "░", count: length - full)
    let percent = "\(Int(share * 100))%"
    return String("\(bar) \(percent)  ") + visiblyClipped(text, width - length - percent.count - 4)
  }

  /// Truncates by visible width: colours have none, and some characters take two columns.
  private func visiblyClipped(_ text: String, _ width: Int) -> String {
    var used = 0
    var isEscape = false
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar == "\u{1B}" { isEscape = true }
      if !isEscape {
        used += columns(of: Character(scalar))
        if used > width { continue }
      }
      result.unicodeScalars.append(scalar)
      if isEscape, scalar == "m" { isEscape = false }
    }
    return result
  }
}
