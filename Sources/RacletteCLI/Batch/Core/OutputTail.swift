import EventLoop
import Journal
import LuaRuntime
import Scripting

/// The last lines of what an execution sent and wrote, with their times.
struct OutputTail {
  private static let longest = 1_000
  private static let mostBytes = 64 << 10

  private var lines: [RecordedLine] = []
  /// Where the lines begin that are kept.
  private var start = 0
  private var byteCount = 0
  /// How many lines are not kept, and how many bytes they had.
  private var leftOut = (lines: 0, bytes: 0)
  private var errors = LineSplitter(limit: mostBytes)

  /// What is kept, behind a word about what is not.
  var kept: [RecordedLine] {
    if leftOut.lines == 0 { return Array(lines[start...]) }
    let what = leftOut.lines == 1 ? "1 line" : "\(leftOut.lines) lines"
    let text = "\(what) of output, \(leftOut.bytes) bytes, before the last that are kept"
    let time = start < lines.count ? lines[start].time : 0
    return [RecordedLine(time: time, stream: .leftOut, bytes: Array(text.utf8))] + lines[start...]
  }

  mutating func append(
    _ bytes: UnsafeRawBufferPointer, _ stream: RecordedLine.Stream, at time: Double
  ) {
    let isLine = stream != .chunk && bytes.last == 10
    let bytes = isLine ? bytes.dropLast() : bytes[...]
    let text = UnsafeRawBufferPointer(rebasing: bytes)
    let kept = Array((Secrets.masked(text) ?? Array(text)).prefix(Self.mostBytes))
    lines.append(RecordedLine(time: time, stream: stream, bytes: kept))
    byteCount += kept.count
    while lines.count - start > Self.longest || byteCount > Self.mostBytes {
      leftOut.lines += 1
      leftOut.bytes += lines[start].bytes.count
      byteCount -= lines[start].bytes.count
      lines[start].bytes = []
      start += 1
    }
    if start > Self.longest {
      lines.removeFirst(start)
      start = 0
    }
  }

  /// Adds a chunk of standard error.
  mutating func append(errors chunk: UnsafeRawBufferPointer, at time: Double) {
    var found: [[UInt8]] = []
    errors.append(chunk) { found.append(Array($0)) }
    for line in found { line.withUnsafeBytes { append($0, .errors, at: time) } }
  }

  /// Ends the last line of standard error.
  mutating func finish(at time: Double) {
    var last: [UInt8]?
    errors.finish { last = Array($0) }
    if let last { last.withUnsafeBytes { append($0, .errors, at: time) } }
  }
}

/// Keeps the last lines of the executions of a batch.
final class OutputTails: EventRenderer {
  private struct Kept {
    var tail = OutputTail()
    /// Standard error that scripts have captured. It is no output, but tells how far an execution had
    /// come that was cancelled or killed.
    var captured = OutputTail()
    var attempts = 1
    /// The execution's number in the journal.
    var number: Int64?
    /// Whether anything has come since it was last recorded.
    var hasChanged = false

    var unfinished: [RecordedLine] {
      (tail.kept + captured.kept).sorted { $0.time < $1.time }
    }
  }

  private let host: ScriptHost
  private var kept: [ObjectIdentifier: Kept] = [:]

  init(_ host: ScriptHost) {
    self.host = host
  }

  func render(_ event: RunEvent) {
    switch event {
    case .next(let record, .batch(let chunk as ByteChunk)):
      let age = age(of: record)
      chunk.text.withUnsafeBytes { text in
        change(record) { $0.tail.append(text, .chunk, at: age) }
      }
    case .next(let record, let values):
      let age = age(of: record)
      values.forEach { value in
        // One that has no text is told of elsewhere.
        try? host.withOutput(of: value) { line in
          change(record) { $0.tail.append(line, .output, at: age) }
        }
      }
    case .standardError(let record?, let chunk):
      let age = age(of: record)
      change(record) { $0.tail.append(errors: chunk, at: age) }
    case .retry(let record, let attempt, _, let cause):
      let age = age(of: record)
      let message = Array((cause?.text ?? "").utf8)
      cause.map { keep(hiddenErrorsOf: $0, record) }
      change(record) { kept in
        kept.attempts = attempt
        message.withUnsafeBytes { kept.tail.append($0, .retry, at: age) }
      }
    case .failed(let record, let failure): keep(hiddenErrorsOf: failure, record)
    default: break
    }
  }

  /// What a process has written to its standard error and was captured is told by the failure alone.
  private func keep(hiddenErrorsOf failure: Failure, _ record: ExecutionRecord) {
    guard failure.hidesStandardError, let text = failure.stderr else { return }
    let age = age(of: record)
    let lines = Array("\(text)\n".utf8)
    change(record) { kept in lines.withUnsafeBytes { kept.tail.append(errors: $0, at: age) } }
  }

  /// Keeps a chunk of standard error that a script has captured.
  func capture(_ chunk: UnsafeRawBufferPointer, of record: ExecutionRecord) {
    let age = age(of: record)
    change(record) { $0.captured.append(errors: chunk, at: age) }
  }

  /// What has come since this was last asked for, by the numbers of the executions.
  func changes() -> [Int64: [RecordedLine]] {
    var changes: [Int64: [RecordedLine]] = [:]
    for (key, value) in kept where value.hasChanged {
      kept[key]?.hasChanged = false
      if let number = value.number { changes[number] = value.unfinished }
    }
    return changes
  }

  /// Takes what was kept of an execution, with what was captured if it did not come to its own end.
  func take(
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
