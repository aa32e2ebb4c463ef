import EventLoop
import LineEditor
import Platform
import Scripting

/// A line at the bottom of a terminal that shows the running commands and their durations.
///
/// It is visible only while the loop waits: all writers, including scripts, find it erased. On the
/// main thread.
package final class StatusLine: EventRenderer {
  private let host: ScriptHost
  private let style: Style
  /// The number of executions in the run that end by themselves.
  private let total: Int
  private var running: [ExecutionRecord] = []
  private var done = 0
  private var isShown = false
  private let startTime = EventLoop.now

  /// A run that is shorter than this shows no line.
  private static let patience = Duration.milliseconds(400)

  /// Nil without a terminal.
  init?(_ host: ScriptHost, _ report: Report, total: Int) {
    guard isatty(STDERR_FILENO) == 1, !report.isQuiet,
      let terminal = environment("TERM"), terminal != "dumb"
    else { return nil }
    self.host = host
    self.total = total
    style = report.style
    Terminal.writers.willWrite = { [weak self] in self?.hide() }
  }

  package var joinsStreams: Bool { true }

  package func render(_ event: RunEvent) {
    switch event {
    case .started(let record): running.append(record)
    case .completed(let record), .failed(let record, _), .cancelled(let record):
      running.removeAll { $0 === record }
      if !isService(record) { done += 1 }
    case .runStarted: (running, done) = ([], 0)
    default: break
    }
  }

  /// Shows the line while it waits for an event.
  func wait(for loop: EventLoop) {
    let age = EventLoop.now - startTime
    guard age >= Self.patience else {
      _ = loop.waitForEvent(atMost: Self.patience - age)
      return
    }
    repeat { show() } while !loop.waitForEvent(atMost: .milliseconds(250))
    hide()
  }

  func hide() {
    guard isShown else { return }
    isShown = false
    Terminal.transient("\r\u{1B}[K")
  }

  private func show() {
    // The line would disturb a script's prompt, an unfinished line of output, what is typed for a
    // process, or, after `bg`, in the shell.
    guard isInForeground, !running.isEmpty, !host.readsInput, Terminal.isAtLineStart,
      !host.loop.isTerminalRead, !running.contains(where: \.isInteractive)
    else { return }
    isShown = true
    Terminal.transient("\r\u{1B}[K" + style.faint(clipped(text)))
  }

  private var isInForeground: Bool {
    let owner = tcgetpgrp(STDERR_FILENO)
    // Negative for a terminal that controls other processes.
    return owner < 0 || owner == getpgrp()
  }

  private var text: String {
    let now = EventLoop.now
    let (up, working) = (running.filter(isService), running.filter { !isService($0) })
    let parts = [("running", working), ("up", up)].filter { !$0.1.isEmpty }.map { state, records in
      let names = records.map { record in
        "\(record.command.visibleInLine) \((now - (record.startTime ?? now)).shortText)"
      }
      return "\(state): \(names.joined(separator: ", "))"
    }
    return ((total > 1 ? ["\(done)/\(total) done"] : []) + parts).joined(separator: "; ")
  }

  private func isService(_ record: ExecutionRecord) -> Bool {
    host.command(named: record.command)?.isService == true
  }

  /// Truncates a text to one row.
  private func clipped(_ text: String) -> String {
    let width = TerminalSize(of: STDERR_FILENO).columns
    return columns(of: text) < width ? text : fitted(text, to: max(0, width - 1))
  }
}
