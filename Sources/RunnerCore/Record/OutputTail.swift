import EventLoop
import Journal
import LuaRuntime
import Platform
import Reactive
import Scripting

/// The last lines of the values and the output of an execution, with their times.
package struct OutputTail {
  private static let longest = 1_000
  private static let mostBytes = 64 << 10

  /// The length of the pieces into which a longer line of standard error is split.
  private static let longestPiece = 4 << 10

  private var lines = Queue<RecordedLine>()
  private var byteCount = 0
  private var leftOut = LeftOut()
  private var errors = LineSplitter(limit: longestPiece, openEnd: Secrets.openEnd)

  /// The kept lines, after a note about the dropped ones.
  var kept: [RecordedLine] {
    guard let text = leftOut.text else { return lines.elements }
    let time = lines.first?.time ?? 0
    return [RecordedLine(time: time, stream: .leftOut, bytes: Array(text.utf8))] + lines.elements
  }

  mutating func append(
    _ bytes: UnsafeRawBufferPointer, _ stream: RecordedLine.Stream, at time: Double
  ) {
    if let masked = Secrets.masked(bytes) {
      masked.withUnsafeBytes { append(masked: $0, stream, at: time) }
    } else {
      append(masked: bytes, stream, at: time)
    }
  }

  mutating func append(
    masked bytes: UnsafeRawBufferPointer, _ stream: RecordedLine.Stream, at time: Double
  ) {
    let isLine = stream.endsLine && bytes.last == 10
    let text = Array(isLine ? bytes.dropLast() : bytes[...])
    let kept = text.suffix(Self.mostBytes)
    lines.append(RecordedLine(time: time, stream: stream, bytes: Array(kept)))
    byteCount += kept.count
    while lines.count > Self.longest || byteCount > Self.mostBytes, let line = lines.popFirst() {
      if line.stream != .step { leftOut.add(line.bytes[...], endsLine: line.stream.endsLine) }
      byteCount -= line.bytes.count
    }
    if kept.count < text.count { leftOut.add(text.dropLast(kept.count), endsLine: false) }
  }

  /// Adds a chunk of standard error.
  mutating func append(errors chunk: UnsafeRawBufferPointer, at time: Double) {
    var found: [(bytes: [UInt8], endsLine: Bool)] = []
    errors.append(chunk) {
      found.append((Array($0.bytes), $0.endsLine))
      return true
    }
    for piece in found {
      piece.bytes.withUnsafeBytes { append($0, piece.endsLine ? .errors : .errorChunk, at: time) }
    }
  }

  /// Ends the last line of standard error.
  mutating func finish(at time: Double) {
    var last: [UInt8]?
    errors.finish { last = Array($0) }
    if let last { last.withUnsafeBytes { append($0, .errors, at: time) } }
  }
}

/// The amount of output before the kept lines.
private struct LeftOut {
  private var lines = 0
  private var bytes = 0
  /// True if it ends within a line.
  private var endsInLine = false

  mutating func add(_ output: ArraySlice<UInt8>, endsLine: Bool) {
    bytes += output.count
    lines += endsLine ? 1 : output.count { $0 == 10 }
    endsInLine = !endsLine && output.last != 10
  }

  /// A description; nil if there was no such output.
  var text: String? {
    guard lines > 0 || bytes > 0 else { return nil }
    var parts: [String] = []
    if lines > 0 { parts.append(lines == 1 ? "1 line" : "\(lines) lines") }
    if endsInLine { parts.append("the beginning of a line") }
    return "\(parts.joined(separator: " and ")) of output, \(bytes) bytes, "
      + "before the last that are kept"
  }
}

/// Keeps the last lines of the executions of a batch.
package final class OutputTails: EventRenderer {
  private struct Kept {
    var tail = OutputTail()
    /// Standard error that scripts have captured. It is no output, but shows the progress of an
    /// execution that was cancelled or killed.
    var captured = OutputTail()
    var attempts = 1
    /// The execution's number in the journal.
    var number: Int64?
    /// True if output has arrived since the last record.
    var hasChanged = false

    var unfinished: [RecordedLine] {
      (tail.kept + captured.kept).sorted { $0.time < $1.time }
    }
  }

  private let output: ValueOutput
  private var kept: [ObjectIdentifier: Kept] = [:]

  package init(_ output: ValueOutput) {
    self.output = output
  }

  package var joinsStreams: Bool { false }

  package func render(_ event: RunEvent) {
    switch event {
    case .step(let record, let step):
      let age = age(of: record)
      let text = step.text.exactBytes
      change(record) { kept in
        kept.tail.finish(at: age)
        text.withUnsafeBytes { kept.tail.append($0, .step, at: age) }
      }
    case .next(let record, .batch(let chunk as ByteChunk)):
      let age = age(of: record)
      chunk.text.withUnsafeBytes { text in
        change(record) { $0.tail.append(text, .chunk, at: age) }
      }
    case .next(let record, let values):
      let age = age(of: record)
      values.forEach { value in
        // A value without a text is reported elsewhere.
        try? output.host.withOutput(of: value) { line in
          change(record) { $0.tail.append(masked: line, .output, at: age) }
        }
      }
    case .standardError(let record?, let chunk):
      let age = age(of: record)
      change(record) { $0.tail.append(errors: chunk, at: age) }
    case .retry(let record, let attempt, _, let cause):
      let age = age(of: record)
      let message = (cause?.text ?? "").exactBytes
      cause.map { keep(hiddenErrorsOf: $0, record) }
      change(record) { kept in
        kept.attempts = attempt
        message.withUnsafeBytes { kept.tail.append($0, .retry, at: age) }
      }
    case .failed(let record, let failure): keep(hiddenErrorsOf: failure, record)
    default: break
    }
  }

  /// Keeps the captured standard error of a process, which is available only in the failure.
  private func keep(hiddenErrorsOf failure: Failure, _ record: ExecutionRecord) {
    guard failure.hidesStandardError, let text = failure.stderr else { return }
    let age = age(of: record)
    let lines = text.exactBytes + [10]
    change(record) { kept in lines.withUnsafeBytes { kept.tail.append(errors: $0, at: age) } }
  }

  /// Keeps a chunk of standard error that a script has captured.
  package func capture(_ chunk: UnsafeRawBufferPointer, of record: ExecutionRecord) {
    let age = age(of: record)
    change(record) { $0.captured.append(errors: chunk, at: age) }
  }

  /// The output since the previous call, by the numbers of the executions.
  package func changes() -> [Int64: [RecordedLine]] {
    var changes: [Int64: [RecordedLine]] = [:]
    for (key, value) in kept where value.hasChanged {
      kept[key]?.hasChanged = false
      if let number = value.number { changes[number] = value.unfinished }
    }
    return changes
  }

  /// Removes and returns the kept output of an execution, including captured output if it was
  /// cancelled.
  package func take(
    _ record: ExecutionRecord, _ failure: Failure?
  ) -> (output: [RecordedLine], attempts: Int) {
    guard var kept = kept.removeValue(forKey: ObjectIdentifier(record)) else { return ([], 1) }
    let age = age(of: record)
    kept.tail.finish(at: age)
    kept.captured.finish(at: age)
    let wasCancelled = failure?.kind == .cancelled
    return (wasCancelled ? kept.unfinished : kept.tail.kept, kept.attempts)
  }

  private func change(_ record: ExecutionRecord, _ body: (inout Kept) -> Void) {
    let key = ObjectIdentifier(record)
    body(&kept[key, default: Kept(number: record.recordedAs)])
    kept[key]?.hasChanged = true
  }

  private func age(of record: ExecutionRecord) -> Double {
    record.startTime.map { (EventLoop.now - $0) / .seconds(1) } ?? 0
  }
}
