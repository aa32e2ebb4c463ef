import EventLoop
import RunnerCore
import Scripting

/// Reads the events of a batch from its beginning, then as they come, up to its end. On the loop's
/// thread.
///
/// It asks when the server notifies it, and each second, in case a notification was lost with a
/// connection. The output of one worker is read up to a place; that of several workers need not be
/// committed in the order of its numbers.
final class BatchFollower {
  /// Called with events, in their order; `body` continues.
  var onEvents: (_ events: [EncodedEvent], _ body: @escaping () -> Void) -> Void = { $1() }
  /// Called when the batch has ended and all its events were read.
  var onEnd: (BatchState) -> Void = { _ in }
  var onFailure: (Error) -> Void = { _ in }
  /// The state of the batch when it was last asked for.
  private(set) var state: BatchState?

  let batch: Int64
  private let link: ServerLink
  private let loop: EventLoop
  private var places: [Int: Int] = [:]
  /// The number of entries whose end was read.
  private var endCount = 0
  private var timer: Timer?
  private var isAsking = false
  private var isDue = false
  private var isOver = false
  /// True unless it has tried to end the batch since the last second.
  private var maySettle = true

  init(_ batch: Int64, _ link: ServerLink, on loop: EventLoop) {
    self.batch = batch
    self.link = link
    self.loop = loop
  }

  func start() {
    link.listen(to: "raclette_batch_\(batch)")
    link.onNotification = { [weak self] _, _ in self?.ask() }
    link.onPoll = { [weak self] in self?.ask() }
    timer = loop.timer(after: .seconds(1), every: .seconds(1)) { [weak self] in
      self?.maySettle = true
      self?.ask()
    }
    ask()
  }

  func stop() {
    isOver = true
    timer?.cancel()
    timer = nil
  }

  /// Asks for what is new; while it asks, once more afterwards.
  private func ask() {
    guard !isOver else { return }
    if isAsking {
      isDue = true
      return
    }
    isAsking = true
    isDue = false
    // The state first: what the batch has sent up to its end is then among the events.
    link.send(SQL.read_batch, [.integer(Int(batch))]) { [weak self] answer in
      guard let self, !isOver else { return }
      switch answer {
      case .success(let rows):
        guard let state = BatchState(rows, batch) else {
          return fail(ReadingError.noBatch(batch))
        }
        self.state = state
        read(state)
      case .failure(let error): fail(error)
      }
    }
  }

  private func read(_ state: BatchState) {
    let known = places.sorted { $0.key < $1.key }
    link.send(
      "SELECT worker, place, events FROM raclette.follow($1, $2, $3)",
      [
        .integer(Int(batch)), .integers(known.map(\.key)), .integers(known.map(\.value)),
      ]
    ) { [weak self] answer in
      guard let self, !isOver else { return }
      switch answer {
      case .success(let rows): take(rows, state)
      case .failure(let error): fail(error)
      }
    }
  }

  private func take(_ rows: ServerRows, _ state: BatchState) {
    var events: [EncodedEvent] = []
    for row in 0..<rows.count {
      let worker = rows.integer(row, 0)
      places[worker] = max(places[worker] ?? 0, rows.integer(row, 1))
      let text = rows.text(row, 2) ?? ""
      events += text.split(separator: "\n").compactMap { EncodedEvent($0) }
    }
    guard rows.count > 0 else {
      isAsking = false
      if state.ended != nil {
        stop()
        return onEnd(state)
      }
      if maySettle, let size = state.size, endCount >= size { return settle() }
      if isDue { ask() }
      return
    }
    endCount += events.count { $0.entry != nil && $0.isEnd }
    onEvents(events) { [weak self] in
      guard let self, !isOver else { return }
      // There may be more than fits an answer.
      read(state)
    }
  }

  /// Ends the batch: workers do that too, but only with a heartbeat.
  private func settle() {
    isAsking = true
    maySettle = false
    link.send("SELECT raclette.settle()") { [weak self] answer in
      guard let self, !isOver else { return }
      isAsking = false
      if case .failure(let error) = answer { return fail(error) }
      ask()
    }
  }

  private func fail(_ error: Error) {
    stop()
    onFailure(error)
  }
}

/// The state of a batch.
struct BatchState {
  let batch: Int64
  let plan: String
  let submitter: String
  /// Seconds since 1970, by the server's clock.
  let submitted: Double
  /// The number of entries; nil until all are handed over.
  let size: Int?
  let isCancelled: Bool
  /// Seconds since 1970, by the server's clock; nil until it has ended.
  let ended: Double?
  /// The server's time.
  let now: Double

  init?(_ rows: ServerRows, _ batch: Int64) {
    guard rows.count == 1 else { return nil }
    self.batch = batch
    plan = rows.text(0, 0) ?? ""
    submitter = rows.text(0, 2) ?? ""
    submitted = rows.number(0, 3) ?? 0
    size = rows.number(0, 4).map { Int($0) }
    isCancelled = rows.text(0, 5) != nil
    ended = rows.number(0, 6)
    now = rows.number(0, 8) ?? 0
  }
}

/// A question that the journal on a server cannot answer.
enum ReadingError: Error, Equatable, CustomStringConvertible {
  case noBatch(Int64)

  var description: String {
    switch self {
    case .noBatch(let batch): "there is no batch \(batch) in the journal"
    }
  }
}
