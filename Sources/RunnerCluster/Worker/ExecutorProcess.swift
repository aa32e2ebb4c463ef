import Digests
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
    case take(wish: Int, Resources, of: Resources, rank: ResourcePool.Rank, user: String)
    case free(wish: Int)
  }

  /// How its process has ended.
  struct End {
    let status: ProcessEnd.Status
    /// The last line of its standard error.
    let reason: String
    /// True if the worker has told it to end.
    let wasTold: Bool

    /// True if a signal has ended it.
    var wasKilled: Bool { if case .signalled = status { true } else { false } }
  }

  private var child: ChildProcess?
  private var lines = LineSplitter()
  private(set) var isReady = false
  /// True once its process has ended, while what it has left behind may still run.
  private(set) var hasEnded = false
  private var isTold = false
  private let leftovers: Leftovers
  /// True once nothing is left of what it started.
  private var isClean = false
  private var end: End?
  private let onEnd: (End) -> Void

  /// Starts an executor.
  ///
  /// - Parameters:
  ///   - options: the options of the batch.
  ///   - onEnd: called when it has ended, and unless it has ended in order, all that it has started.
  init(
    on loop: EventLoop, options: [String], in folder: String, batch: Int, worker: String,
    leftovers: Leftovers,
    onMessage: @escaping (Message) -> Void, onEnd: @escaping (End) -> Void
  ) throws(SpawnError) {
    self.leftovers = leftovers
    self.onEnd = onEnd
    // The URL may hold a password.
    let variables = ProcessEnvironment.variables().filter { $0.name != "RACLETTE_JOURNAL" }
    var request = ProcessRequest(
      argv: [Self.program, ":batch-executor"].map(\.exactBytes) + options.map(\.exactBytes),
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
      onEnd: { [weak self] in self?.ended($0) })
    child?.onProgramEnd = { [weak self] in self?.programEnded() }
    send(JSONValue.list([.string("batch"), .integer(Int64(batch)), .string(worker)]).text)
  }

  private static var program: String {
    resolvedPath("/proc/self/exe") ?? ProcessEnvironment.arguments().first ?? "raclette"
  }

  // MARK: Its end

  private func programEnded() {
    hasEnded = true
    if isOrderly(child?.programStatus) {
      leftovers.spare()
      isClean = true
      return
    }
    // Others begin the same once the end of its entries is told.
    child?.kill()
    leftovers.kill { [self] in
      isClean = true
      endIfOver()
    }
  }

  /// True if it has ended after what it executed, or has ended that, or has not begun anything.
  private func isOrderly(_ status: ProcessEnd.Status?) -> Bool {
    guard case .exited(let code)? = status else { return false }
    return code == 0 || isTold || !isReady
  }

  private func ended(_ end: ProcessEnd) {
    let errors = String(decoding: end.errorTail, as: UTF8.self)
    var last = errors.split(separator: "\n").last.map(String.init) ?? "it gave no reason"
    if last.hasPrefix(Self.messagePrefix) { last.removeFirst(Self.messagePrefix.count) }
    self.end = End(status: end.status, reason: last, wasTold: isTold)
    endIfOver()
  }

  private func endIfOver() {
    guard isClean, let end else { return }
    onEnd(end)
  }

  private static let messagePrefix = "raclette: error: "

  // MARK: Orders

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

  /// Promises it what it has asked for.
  func grant(_ wish: Int, _ grant: ResourceGrant) {
    let stocks = grant.stocks.map { ($0.key, $0.value.json) }
    send(
      JSONValue.list([.string("granted"), .integer(Int64(wish)), .object(stocks)]).text)
  }

  /// Lets it go on until a time of the clock that all processes share, and then end by itself.
  func renew(until time: Duration) { send("[\"lease\",\(Int(time / .milliseconds(1)))]") }

  /// Lets it end after what it executes.
  func finish() {
    isTold = true
    child?.closeInput()
  }

  /// Cancels what it executes, and kills it after a time.
  func terminate(grace: Duration) {
    isTold = true
    child?.terminate(grace: grace)
  }

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
    case "take":
      guard let wish = fields.number() else { return nil }
      let wanted = JSONValue(text: fields.text()).map(Resources.init(json:)) ?? [:]
      let offers = JSONValue(text: fields.text()).map(Resources.init(json:)) ?? [:]
      let rank = fields.number().flatMap(ResourcePool.Rank.init(rawValue:)) ?? .request
      return .take(wish: wish, wanted, of: offers, rank: rank, user: fields.text())
    case "free": return fields.number().map { .free(wish: $0) }
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
    end.output = fields.optional().flatMap { [UInt8](hexadecimal: $0.utf8) }
    end.event = fields.text()
    return end
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
