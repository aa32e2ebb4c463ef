import CEditLine

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Rows at the end of the output that are written over and over until they are final.
final class LiveRows: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  private let isLive: Bool
  private var shown = 0

  /// - Parameter isLive: whether somebody looks on; otherwise only the final rows are written.
  init(isLive: Bool) {
    self.isLive = isLive
  }

  /// The columns of the terminal, or what diagrams in a file have.
  var width: Int {
    var columns: Int32 = 0
    var rows: Int32 = 0
    ceditline_size(STDOUT_FILENO, &columns, &rows)
    return columns > 20 ? Int(columns) : 80
  }

  func show(_ rows: [String]) {
    guard isLive else { return }
    write(rows)
  }

  func finish(_ rows: [String]) { write(rows) }

  private func write(_ rows: [String]) {
    let back = shown > 0 ? "\u{1B}[\(shown)A\u{1B}[J" : ""
    shown = rows.count
    try? Terminal.output(back + rows.map { fitted($0, to: width - 1) + "\n" }.joined())
  }
}
