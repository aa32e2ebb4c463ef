import EventLoop
import Scripting

/// Joins chunks of standard error into whole lines, separately for each execution.
package final class ErrorLines {
  private struct Open {
    let record: ExecutionRecord?
    var splitter = LineSplitter(limit: longestLine, openEnd: Secrets.openEnd)
  }

  private var open: [ObjectIdentifier?: Open] = [:]
  private static let longestLine = 1 << 20

  package init() {}

  /// Calls `body` with each completed line, including its newline, and with the pieces of a very
  /// long one.
  package func append(
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

  /// True if an execution has an unfinished line.
  package func hasUnfinished(of record: ExecutionRecord?) -> Bool {
    open[record.map { ObjectIdentifier($0) }]?.splitter.hasUnfinished == true
  }

  /// Returns the unfinished line of an execution, without an end that may be the beginning of a secret.
  package func unfinished(of record: ExecutionRecord?) -> [UInt8] {
    guard let lines = open[record.map { ObjectIdentifier($0) }] else { return [] }
    let bytes = lines.splitter.unfinished
    return bytes.dropLast(bytes.withUnsafeBytes { Secrets.openEnd(of: $0) })
  }

  /// Calls `body` with the unfinished line of an execution.
  package func finish(_ record: ExecutionRecord?, _ body: (UnsafeRawBufferPointer) -> Void) {
    let key = record.map { ObjectIdentifier($0) }
    guard var lines = open.removeValue(forKey: key) else { return }
    lines.splitter.finish { withNewline($0, body) }
  }

  /// Calls `body` with the unfinished lines of all executions.
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
