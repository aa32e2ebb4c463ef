import EventLoop
import Scripting

/// Chunks of standard error as whole lines, for each execution apart.
final class ErrorLines {
  private struct Open {
    let record: ExecutionRecord?
    var splitter = LineSplitter(limit: longestLine, openEnd: Secrets.openEnd)
  }

  private var open: [ObjectIdentifier?: Open] = [:]
  private static let longestLine = 1 << 20

  /// Calls `body` with each line that is complete now, its newline included, and with the pieces of one
  /// that is very long.
  func append(
    _ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord?,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let key = record.map { ObjectIdentifier($0) }
    var lines = open.removeValue(forKey: key) ?? Open(record: record)
    lines.splitter.append(bytes) { piece in
      if piece.endsLine { withNewline(piece.bytes, body) } else { body(piece.bytes) }
      return true
    }
    open[key] = lines
  }

  /// Calls `body` with what an execution has begun and not ended.
  func finish(_ record: ExecutionRecord?, _ body: (UnsafeRawBufferPointer) -> Void) {
    let key = record.map { ObjectIdentifier($0) }
    guard var lines = open.removeValue(forKey: key) else { return }
    lines.splitter.finish { withNewline($0, body) }
  }

  /// Calls `body` with what anybody has begun and not ended.
  func finishAll(_ body: (UnsafeRawBufferPointer, ExecutionRecord?) -> Void) {
    for record in open.values.map(\.record).sorted(by: { ($0?.id ?? 0) < ($1?.id ?? 0) }) {
      finish(record) { body($0, record) }
    }
  }

  private func withNewline(
    _ line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    var bytes = Array(line)
    bytes.append(10)
    bytes.withUnsafeBytes(body)
  }
}
