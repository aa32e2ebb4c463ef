import Scripting

/// The lines that executions have begun and not ended, as far as they were written, so that what ends
/// them is written behind it. On the loop's thread.
package struct BegunLines {
  private struct Line {
    /// Keeps its execution's place from being taken by another.
    let record: ExecutionRecord
    var bytes: [UInt8] = []
    /// The number of bytes that were written. The others may be the beginning of a secret.
    var written = 0
  }

  private var lines: [ObjectIdentifier: Line] = [:]

  package init() {}

  package var isEmpty: Bool { lines.isEmpty }

  /// Adds to a line, and calls `body` with what can be written of it, with secrets masked.
  package mutating func add(
    _ part: UnfinishedLine, of record: ExecutionRecord, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let key = ObjectIdentifier(record)
    var line = lines.removeValue(forKey: key) ?? Line(record: record)
    // Another process of the execution has begun a line.
    if part.offset != line.bytes.count {
      guard part.offset == 0 else { return }
      line = Line(record: record)
    }
    line.bytes += part.bytes
    line.bytes.withUnsafeBytes { bytes in
      let text = UnsafeRawBufferPointer(rebasing: bytes[line.written...])
      let known = UnsafeRawBufferPointer(
        rebasing: text[..<(text.count - Secrets.openEnd(of: text))])
      guard !known.isEmpty else { return }
      line.written += known.count
      Secrets.masked(known)?.withUnsafeBytes(body) ?? body(known)
    }
    lines[key] = line
  }

  /// Returns what was written of an execution's line, which ends now.
  @discardableResult
  package mutating func end(_ record: ExecutionRecord) -> ArraySlice<UInt8> {
    guard let line = lines.removeValue(forKey: ObjectIdentifier(record)) else { return [] }
    return line.bytes[..<line.written]
  }
}
