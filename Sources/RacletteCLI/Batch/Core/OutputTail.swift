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
  private var errors = LineSplitter(limit: mostBytes)

  var kept: [RecordedLine] { Array(lines[start...]) }

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
    var attempts = 1
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

  /// Takes what was kept of an execution.
  func take(_ record: ExecutionRecord) -> (output: [RecordedLine], attempts: Int) {
    guard var kept = kept.removeValue(forKey: ObjectIdentifier(record)) else { return ([], 1) }
    kept.tail.finish(at: age(of: record))
    return (kept.tail.kept, kept.attempts)
  }

  private func change(_ record: ExecutionRecord, _ body: (inout Kept) -> Void) {
    body(&kept[ObjectIdentifier(record), default: Kept()])
  }

  private func age(of record: ExecutionRecord) -> Double {
    record.startTime.map { (EventLoop.now - $0) / .seconds(1) } ?? 0
  }
}
