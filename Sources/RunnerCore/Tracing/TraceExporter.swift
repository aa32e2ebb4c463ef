import CCurl
import Dispatch
import EventLoop
import Platform
import Scripting
import Synchronization

/// Sends spans to a collector, by HTTP with JSON (OTLP). Requests are made on a thread of their own,
/// so that a slow collector delays nothing; what it does not take in time is dropped, and reported at
/// the end. On the loop's thread.
package final class TraceExporter {
  /// The most spans of one request.
  private static let batchSize = 512
  /// The most spans that wait for a collector.
  private static let mostWaiting = 50_000
  /// How long spans wait for others before they are sent.
  private static let pause = Duration.seconds(1)

  private let target: TraceTarget
  private let loop: EventLoop
  private let queue = DispatchQueue(label: "raclette.traces", qos: .utility)
  private let requests = DispatchGroup()
  private let delivery: TraceDelivery
  private var spans: [Span] = []
  private var timer: Timer?
  private var dropped = 0
  /// True once the loop is about to end.
  private var isStopped = false

  package init(_ target: TraceTarget, on loop: EventLoop) {
    self.target = target
    self.loop = loop
    delivery = TraceDelivery(target)
    spans.reserveCapacity(Self.batchSize)
    queue.async(group: requests) { [delivery] in delivery.prepare() }
  }

  func add(_ span: Span) {
    spans.append(span)
    if spans.count >= Self.batchSize { return send() }
    guard timer == nil, !isStopped else { return }
    timer = loop.timer(after: Self.pause) { [weak self] in self?.send() }
    timer?.unref()
  }

  /// Hands the spans over to the thread that sends them.
  private func send() {
    timer?.cancel()
    timer = nil
    guard !spans.isEmpty else { return }
    let batch = spans
    spans = []
    spans.reserveCapacity(Self.batchSize)
    guard delivery.waiting.load(ordering: .relaxed) < Self.mostWaiting else {
      dropped += batch.count
      return
    }
    delivery.waiting.add(batch.count, ordering: .relaxed)
    queue.async(group: requests) { [delivery] in delivery.send(batch) }
  }

  /// Uses the loop no longer, which is about to end. What comes later is sent by `finish`.
  func stop() {
    isStopped = true
    send()
  }

  /// Sends what is left, and waits for the collector as long as its target allows.
  ///
  /// - Returns: why spans are lost, if any are.
  package func finish() -> String? {
    send()
    let limit = target.patience
    let isDelivered =
      requests.wait(timeout: .now() + .milliseconds(Int(limit / .milliseconds(1)))) == .success
    let (lost, problem) = delivery.losses
    let count = lost + dropped + delivery.waiting.load(ordering: .relaxed)
    guard count > 0 else { return nil }
    let reason =
      if let problem { problem } else if isDelivered { "it takes them too slowly" } else {
        "it did not answer within \(limit.text)"
      }
    return "\(count) \(count == 1 ? "span was" : "spans were") not sent to \(target.url): \(reason)"
  }
}

/// Makes the requests, one after the other, on another thread.
private final class TraceDelivery: Sendable {
  /// The number of spans that were handed over, and have neither arrived nor been given up.
  let waiting = Atomic<Int>(0)
  private let target: TraceTarget
  private let state = Mutex<(lost: Int, problem: String?)>((0, nil))

  init(_ target: TraceTarget) { self.target = target }

  /// The number of spans that are lost, and why the first of them are.
  var losses: (count: Int, problem: String?) { state.withLock { ($0.lost, $0.problem) } }

  /// Loads the library that makes requests while there is nothing to send yet.
  func prepare() {
    blockSignals()
    _ = ccurl_load()
  }

  func send(_ spans: [Span]) {
    blockSignals()
    let problem = problem(inSending: spans)
    waiting.subtract(spans.count, ordering: .relaxed)
    guard let problem else { return }
    state.withLock {
      $0.lost += problem.count ?? spans.count
      $0.problem = $0.problem ?? problem.text
    }
  }

  /// Posts spans.
  ///
  /// - Returns: why they are lost, and how many if not all of them are; nil if they have arrived.
  private func problem(inSending spans: [Span]) -> (text: String, count: Int?)? {
    if let problem = ccurl_load() {
      return ("libcurl is missing (Debian's package libcurl4): \(String(cString: problem))", nil)
    }
    var document = SpanDocument(target)
    for span in spans { document.add(span) }
    document.finish()
    let body = document.bytes
    // A collector that is busy says so, and asks for the same again.
    for pause in [250, 500, 1_000, 0] {
      var response = post(body)
      guard response.status != 0 else { return (text(of: &response.problem), nil) }
      if (200..<300).contains(response.status) { return rejection(in: &response) }
      guard [429, 502, 503, 504].contains(response.status), pause > 0 else {
        return ("it answered with status \(response.status)", nil)
      }
      usleep(UInt32(pause) * 1_000)
    }
    return nil
  }

  private func post(_ body: [UInt8]) -> ccurl_response {
    let lines = ["Content-Type: application/json", "User-Agent: raclette/\(ScriptHost.version)"]
    let headers = (lines + target.headers).map { strdup($0) }
    defer { headers.forEach { free($0) } }
    let pointers = headers.map { UnsafePointer($0) }
    return body.withUnsafeBufferPointer { bytes in
      pointers.withUnsafeBufferPointer {
        ccurl_post(
          target.url, $0.baseAddress, $0.count, bytes.baseAddress, bytes.count,
          Int(target.timeout / .milliseconds(1)))
      }
    }
  }

  /// What a collector says of spans that it has not taken although it answered well.
  private func rejection(in response: inout ccurl_response) -> (text: String, count: Int?)? {
    let bytes = withUnsafeBytes(of: &response.body) { Array($0.prefix(response.body_length)) }
    let answer = bytes.withUnsafeBytes { try? JSONValue(parsing: $0) }
    guard let partial = answer?[field: "partialSuccess"],
      let number = partial[field: "rejectedSpans"],
      let count = number.integer.map({ Int($0) }) ?? number.string.flatMap({ Int($0) }), count > 0
    else { return nil }
    let message = partial[field: "errorMessage"]?.string ?? ""
    return (message.isEmpty ? "it rejected them" : "it rejected them: \(message)", count)
  }

  /// The signals of the program are for its main thread.
  private func blockSignals() {
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private func text<Characters>(of characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
