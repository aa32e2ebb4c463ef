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
    case began(Int)
    case event(Int, String)
    case ended(Int, Outbox.End)
    case back(Int)
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

  func send(_ line: String) { child?.write(Array(line.utf8) + [10]) }

  /// Asks for an entry that has not begun.
  func recall(_ entry: Int) { send("[\"return\",\(entry)]") }

  func cancel(_ entry: Int) { send("[\"cancel\",\(entry)]") }

  /// Lets it end after what it executes.
  func finish() { child?.closeInput() }

  /// Cancels what it executes, and kills it after a time.
  func terminate(grace: Duration) { child?.terminate(grace: grace) }

  private static func message(_ line: UnsafeRawBufferPointer) -> Message? {
    let fields = line.split(separator: 9, omittingEmptySubsequences: false)
    func text(_ index: Int) -> String { index < fields.count ? unescaped(fields[index]) : "" }
    func optional(_ index: Int) -> String? { text(index).isEmpty ? nil : text(index) }
    guard let entry = Int(text(1)) ?? (text(0) == "ready" ? 0 : nil) else { return nil }
    switch text(0) {
    case "ready": return .ready
    case "began": return .began(entry)
    case "event": return .event(entry, text(2))
    case "back": return .back(entry)
    case "ended":
      var end = Outbox.End(token: 0, state: text(2))
      end.duration = Double(text(3)) ?? 0
      end.attempts = Int(text(4)) ?? 1
      end.code = Int(text(5))
      end.errorKind = optional(6)
      end.error = optional(7)
      end.output = optional(8).map(bytes)
      end.event = text(9)
      return .ended(entry, end)
    default: return nil
    }
  }

  private static func unescaped(_ field: Slice<UnsafeRawBufferPointer>) -> String {
    guard field.contains(92) else { return String(decoding: field, as: UTF8.self) }
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

  private static func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits.utf8)
    func value(_ digit: UInt8) -> UInt8 { digit >= 97 ? digit - 87 : digit - 48 }
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      value(digits[$0]) << 4 | value(digits[$0 + 1])
    }
  }
}
