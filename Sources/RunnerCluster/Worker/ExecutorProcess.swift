import EventLoop
import Platform
import RunnerCore
import Scripting

/// A process that executes the entries of one batch; see `Executor` in RunnerBatch for what passes
/// between the two. On the loop's thread.
final class ExecutorProcess {
  /// What it tells about entries.
  enum Message {
    case ready
    case expired
    case began(Int)
    case event(Int, String)
    case ended(Int, Outbox.End)
    case back(Int)
    case need(String)
    case needed(String, NeedState)
  }

  private var child: ChildProcess?
  private var lines = LineSplitter()
  private(set) var isReady = false

  /// Starts an executor.
  ///
  /// - Parameters:
  ///   - options: the options of the batch.
  ///   - onEnd: called when it has ended, with the last lines of its standard error.
  init(
    on loop: EventLoop, options: [String], in folder: String, batch: Int, worker: String,
    onMessage: @escaping (Message) -> Void, onEnd: @escaping (String) -> Void
  ) throws(SpawnError) {
    // The URL may hold a password.
    let variables = ProcessEnvironment.variables().filter { $0.name != "RACLETTE_JOURNAL" }
    var request = ProcessRequest(
      argv: [Self.program, "batch-executor"].map(\.exactBytes) + options.map(\.exactBytes),
      environment: variables.map { Array("\($0.name)=".exactBytes) + $0.value },
      directory: folder.exactBytes)
    request.input = .pipe
    request.errors = .forward { Terminal.error(bytes: $0) }
    child = try loop.spawn(
      request,
      onOutput: { [weak self] chunk in
        guard let self else { return }
        var messages: [Message] = []
        lines.append(chunk) { line in
          if let message = Self.message(line) { messages.append(message) }
        }
        for message in messages {
          if case .ready = message { isReady = true }
          onMessage(message)
        }
      },
      onEnd: { end in onEnd(String(decoding: end.errorTail, as: UTF8.self)) })
    send(JSONValue.list([.string("batch"), .integer(Int64(batch)), .string(worker)]).text)
  }

  private static var program: String {
    resolvedPath("/proc/self/exe") ?? ProcessEnvironment.arguments().first ?? "raclette"
  }

  func send(_ line: String) { send([line]) }

  func send(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    var bytes: [UInt8] = []
    for line in lines {
      bytes += line.utf8
      bytes.append(10)
    }
    child?.write(bytes)
  }

  /// Asks for an entry that has not begun.
  func recall(_ entry: Int) { send("[\"return\",\(entry)]") }

  func cancel(_ entry: Int) { send("[\"cancel\",\(entry)]") }

  /// Answers who executes a need.
  func answer(_ need: String, _ answer: NeedState) {
    var words: [JSONValue] = [.string("need"), .integer(0), .string(need), .string(answer.state)]
    if answer.state == "failed" {
      words += [.string(answer.errorKind), .string(answer.error)]
    }
    send(JSONValue.list(words).text)
  }

  /// Lets it go on for a time, after which it ends by itself.
  func renew(for time: Duration) { send("[\"lease\",\(Int(time / .milliseconds(1)))]") }

  /// Lets it end after what it executes.
  func finish() { child?.closeInput() }

  /// Cancels what it executes, and kills it after a time.
  func terminate(grace: Duration) { child?.terminate(grace: grace) }

  private static func message(_ line: UnsafeRawBufferPointer) -> Message? {
    var fields = Fields(line)
    switch fields.text() {
    case "ready": return .ready
    case "expired": return .expired
    case "began": return fields.number().map { .began($0) }
    case "event": return fields.number().map { .event($0, fields.text()) }
    case "back": return fields.number().map { .back($0) }
    case "ended": return fields.number().map { .ended($0, end(&fields)) }
    case "need": return .need(fields.text())
    case "needed":
      let need = fields.text()
      let state = fields.text()
      return .needed(need, NeedState(state: state, errorKind: fields.text(), error: fields.text()))
    default: return nil
    }
  }

  private static func end(_ fields: inout Fields) -> Outbox.End {
    var end = Outbox.End(token: 0, state: fields.text())
    end.duration = Double(fields.text()) ?? 0
    end.attempts = fields.number() ?? 1
    end.code = fields.number()
    end.errorKind = fields.optional()
    end.error = fields.optional()
    end.output = fields.optional().map(bytes)
    end.event = fields.text()
    return end
  }

  private static func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits.utf8)
    func value(_ digit: UInt8) -> UInt8 { digit >= 97 ? digit - 87 : digit - 48 }
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      value(digits[$0]) << 4 | value(digits[$0 + 1])
    }
  }
}

/// The fields of a line, with tabs between them.
private struct Fields {
  private let line: UnsafeRawBufferPointer
  private var start = 0

  init(_ line: UnsafeRawBufferPointer) { self.line = line }

  /// The next field; empty behind the last.
  mutating func text() -> String {
    guard start < line.count else { return "" }
    var end = start
    var hasEscapes = false
    while end < line.count, line[end] != 9 {
      if line[end] == 92 { hasEscapes = true }
      end += 1
    }
    let field = line[start..<end]
    start = end + 1
    return hasEscapes
      ? Self.unescaped(field)
      : String(decoding: UnsafeRawBufferPointer(rebasing: field), as: UTF8.self)
  }

  mutating func optional() -> String? {
    let text = text()
    return text.isEmpty ? nil : text
  }

  mutating func number() -> Int? { Int(text()) }

  private static func unescaped(_ field: Slice<UnsafeRawBufferPointer>) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(field.count)
    var isEscape = false
    for byte in field {
      if isEscape {
        bytes.append(byte == UInt8(ascii: "t") ? 9 : byte == UInt8(ascii: "n") ? 10 : byte)
        isEscape = false
      } else if byte == 92 {
        isEscape = true
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
