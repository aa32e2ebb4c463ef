import EventLoop
import LineEditor
import Platform
import Reactive
import RunnerCore
import Scripting

/// Rows at the end of a terminal's output that are drawn anew as time passes. They give way to other
/// output, which appears above them.
final class LiveRows: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private let isLive: Bool
  private let rows: (_ width: Int) -> [String]
  private let start = EventLoop.now
  private let delay: Duration
  private let host: ScriptHost
  private var timer: (any Disposable)?
  private var shown: [String] = []

  /// - Parameters:
  ///   - delay: the time before the rows are first drawn.
  ///   - isLive: true at a terminal with a cursor; otherwise only the final rows are written.
  ///   - rows: returns the rows for a terminal of so many columns, in their colours.
  init(
    _ host: ScriptHost, isLive: Bool, after delay: Duration = .zero,
    rows: @escaping (_ width: Int) -> [String]
  ) {
    (self.host, self.isLive, self.delay, self.rows) = (host, isLive, delay, rows)
    guard isLive else { return }
    Terminal.writers.willWrite = { [weak self] in self?.clear() }
    timer = host.scheduler.schedule(every: .milliseconds(100)) { [weak self] in self?.draw() }
  }

  private var size: TerminalSize {
    isLive ? TerminalSize(of: STDOUT_FILENO) : TerminalSize()
  }

  private func draw() {
    // A program that owns the terminal, as the shell does after `bg`, is not disturbed, nor is an
    // unfinished line.
    let isHidden = !TerminalMode.isOurs || EventLoop.now - start < delay
    guard !isHidden, Terminal.isAtLineStart else { return }
    let size = size
    // Rows above the screen could not be erased.
    let rows = Array(rows(size.columns).prefix(max(1, size.rows - 2)))
    guard rows != shown else { return }
    clear()
    Terminal.transient(rows.map { $0 + "\n" }.joined())
    shown = rows
  }

  /// Erases the rows and writes the final ones.
  func finish(_ writesRows: Bool) {
    timer?.dispose()
    clear()
    if isLive { Terminal.writers.willWrite = nil }
    guard writesRows else { return }
    try? Terminal.output(rows(size.columns).map { $0 + "\n" }.joined())
  }

  private func clear() {
    guard !shown.isEmpty else { return }
    Terminal.transient("\r\u{1B}[\(shown.count)A\u{1B}[J")
    shown = []
  }
}
