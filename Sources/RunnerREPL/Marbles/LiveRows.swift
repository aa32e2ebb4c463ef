import LineEditor
import RunnerCore

import Platform

/// Rows at the end of the output that are rewritten until they are final. Other output appears
/// above them.
final class LiveRows: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private let isLive: Bool
  private var shown = 0

  /// - Parameter isLive: true at a terminal; otherwise only the final rows are written.
  init(isLive: Bool) {
    self.isLive = isLive
    if isLive { Terminal.willWrite = { [weak self] in self?.clear() } }
  }

  /// The columns of the terminal, or the default for diagrams in a file.
  var width: Int { size.columns }

  private var size: (columns: Int, rows: Int) {
    let size = TerminalSize(of: STDOUT_FILENO)
    return (size.columns > 20 ? size.columns : 80, size.rows > 3 ? size.rows : 24)
  }

  func show(_ rows: [String]) {
    guard isLive else { return }
    clear()
    // Rows above the screen could not be erased.
    let rows = rows.prefix(size.rows - 2)
    Terminal.transient(rows.map { fitted($0, to: width - 1) + "\n" }.joined())
    shown = rows.count
  }

  func finish(_ rows: [String]) {
    clear()
    if isLive { Terminal.willWrite = nil }
    try? Terminal.output(rows.map { fitted($0, to: width - 1) + "\n" }.joined())
  }

  private func clear() {
    guard shown > 0 else { return }
    Terminal.transient("\r\u{1B}[\(shown)A\u{1B}[J")
    shown = 0
  }
}
