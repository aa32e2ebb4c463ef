import EventLoop
import Scripting

/// Everything as it comes.
final class InterleavedLayout: OutputLayout {
  private let output: ValueOutput
  private let errorLines = ErrorLines()

  init(_ output: ValueOutput) {
    self.output = output
  }

  func began(_ record: ExecutionRecord) {}

  func values(_ lines: UnsafeRawBufferPointer, of record: ExecutionRecord) {
    output.write(lines)
  }

  func errors(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord?) {
    // A secret may be cut in two where a chunk ends, but not where a line does.
    guard !Secrets.isEmpty else { return Terminal.error(bytes: bytes) }
    errorLines.append(bytes, of: record) { Terminal.error(bytes: $0) }
  }

  func ended(_ record: ExecutionRecord) {
    errorLines.finish(record) { Terminal.error(bytes: $0) }
  }
}

/// Chunks of standard error as whole lines, for each execution apart.
final class ErrorLines {
  private var splitters: [ObjectIdentifier?: LineSplitter] = [:]
  private static let longestLine = 1 << 20

  /// Calls `body` with each line that is complete now, its newline included.
  func append(
    _ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord?,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let key = record.map { ObjectIdentifier($0) }
    var splitter = splitters.removeValue(forKey: key) ?? LineSplitter(limit: Self.longestLine)
    splitter.append(bytes) { withNewline($0, body) }
    splitters[key] = splitter
  }

  /// Calls `body` with the rest.
  func finish(_ record: ExecutionRecord, _ body: (UnsafeRawBufferPointer) -> Void) {
    guard var splitter = splitters.removeValue(forKey: ObjectIdentifier(record)) else { return }
    splitter.finish { withNewline($0, body) }
  }

  private func withNewline(
    _ line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    var bytes = Array(line)
    bytes.append(10)
    bytes.withUnsafeBytes(body)
  }
}
