import LineEditor
import EventLoop
import Scripting

import Platform

/// One line at the bottom of a terminal that tells what runs and for how long.
///
/// It is there only while the loop waits: whatever is written, by scripts too, finds it gone. On the
/// main thread.
final class StatusLine: EventRenderer {
  private let host: ScriptHost
  private let style: Style
  /// How many executions the run comes to.
  private let total: Int
  private var running: [ExecutionRecord] = []
  private var done = 0
  private var isShown = false
  private let startTime = EventLoop.now

  /// Before this, a run is too short to be worth a line.
  private static let patience = Duration.milliseconds(400)

  /// Nil where there is no terminal to show it.
  init?(_ host: ScriptHost, _ report: Report, total: Int) {
    guard isatty(STDERR_FILENO) == 1, !report.isQuiet,
      let terminal = environment("TERM"), terminal != "dumb"
    else { return nil }
    self.host = host
    self.total = total
    style = report.style
    Terminal.willWrite = { [weak self] in self?.hide() }
  }

  func render(_ event: RunEvent) {
    switch event {
    case .started(let record): running.append(record)
    case .completed(let record), .failed(let record, _), .cancelled(let record):
      running.removeAll { $0 === record }
      done += 1
    case .runStarted: (running, done) = ([], 0)
    default: break
    }
  }

  /// Waits for something to happen, in sight meanwhile.
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
    // A question of a script, or the end of a line of its own, would be in the way.
    guard !running.isEmpty, !host.readsInput, Terminal.isAtLineStart,
      !running.contains(where: \.isInteractive)
    else { return }
    isShown = true
    Terminal.transient("\r\u{1B}[K" + style.faint(clipped(text)))
  }

  private var text: String {
    let now = EventLoop.now
    let names = running.map { record in
      "\(record.command.visibleInLine) \((now - (record.startTime ?? now)).shortText)"
    }
    let count = total > 1 ? "\(done)/\(total) done; " : ""
    return "\(count)running: \(names.joined(separator: ", "))"
  }

  /// As much of a text as one row has room for.
  private func clipped(_ text: String) -> String {
    let width = Terminal.columns(at: STDERR_FILENO)
    return columns(of: text) < width ? text : fitted(text, to: max(0, width - 1))
  }
}
