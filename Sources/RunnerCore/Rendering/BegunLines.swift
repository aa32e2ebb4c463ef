import LuaRuntime
import Scripting

/// The lines that processes of executions have begun and not ended, as far as they were written, so
/// that what ends them is written behind it. On the loop's thread.
package struct BegunLines {
  private struct Line {
    /// Keeps its execution's place from being taken by another.
    let record: ExecutionRecord
    /// The process that has begun it.
    let source: Int
    var bytes: [UInt8] = []
    /// The number of bytes that were written. The others may be the beginning of a secret.
    var written = 0
  }

  private var lines: [ObjectIdentifier: [Line]] = [:]

  package init() {}

  package var isEmpty: Bool { lines.isEmpty }

  /// Adds to a line, and calls `body` with what can be written of it, with secrets masked.
  package mutating func add(
    _ part: UnfinishedLine, of record: ExecutionRecord, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let key = ObjectIdentifier(record)
    var all = lines[key] ?? []
    let known = all.firstIndex { $0.source == part.source }
    var line = known.map { all.remove(at: $0) } ?? Line(record: record, source: part.source)
    if part.offset != line.bytes.count {
      guard part.offset == 0 else { return }
      line = Line(record: record, source: part.source)
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
    all.append(line)
    lines[key] = all
  }

  /// Returns what was written of the line that a text of an execution ends; nothing if the text is of
  /// another source.
  package mutating func end(
    _ record: ExecutionRecord, by text: UnsafeRawBufferPointer
  ) -> ArraySlice<UInt8> {
    let key = ObjectIdentifier(record)
    guard var all = lines[key] else { return [] }
    let ended = all.indices
      .filter { all[$0].written > 0 && text.starts(with: all[$0].bytes[..<all[$0].written]) }
      .max { all[$0].written < all[$1].written }
    guard let ended else { return [] }
    let line = all.remove(at: ended)
    lines[key] = all.isEmpty ? nil : all
    return line.bytes[..<line.written]
  }

  /// Returns what was written of the line that values of an execution end.
  package mutating func end(
    _ record: ExecutionRecord, by values: SentValues
  ) -> ArraySlice<UInt8> {
    if case .batch(let batch as TextBatch) = values {
      return batch.text.withUnsafeBytes { end(record, by: $0) }
    }
    guard case .string(let string) = values.first else { return [] }
    return string.withUnsafeBytes { end(record, by: $0) }
  }

  /// Forgets the lines of an execution.
  package mutating func endAll(of record: ExecutionRecord) {
    lines[ObjectIdentifier(record)] = nil
  }
}

extension SentValues {
  fileprivate var first: LuaValue? {
    switch self {
    case .one(let value): return value
    case .batch(let batch):
      var first: LuaValue?
      batch.forEach(from: 0, while: { first == nil }) { first = $0 }
      return first
    }
  }
}
