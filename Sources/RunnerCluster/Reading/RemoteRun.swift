import EventLoop
import Journal
import Platform
import RunnerBatch
import RunnerCore
import Scripting

/// Shows a batch on a server, from its beginning to its end: events go to a stream, ends to the
/// reports. On the loop's thread.
final class RemoteRun: ProgressSource {
  private(set) var counts = EntryCounts()
  /// The state in which the batch ended; nil while it has not.
  private(set) var end: BatchState?
  /// The error that prevents it from being followed.
  private(set) var failure: Error?

  let batch: Int64
  private let follower: BatchFollower
  private let link: ServerLink
  private let stream: EventStream
  /// Shows an event of a worker.
  private let show: (EncodedEvent) -> Void
  private let reports: BatchReports
  private let offers: OfferWatch
  /// True if the reports contain what entries have printed.
  private let wantsOutput: Bool
  private var running: [Int64: String] = [:]
  /// The number of entries that were not handed over.
  private var leftOutCount = 0

  init(
    _ batch: Int64, _ link: ServerLink, in session: Session, _ line: CommandLine,
    _ reports: BatchReports
  ) {
    self.batch = batch
    self.link = link
    self.reports = reports
    wantsOutput = line.has(.junit)
    offers = OfferWatch(batch, link, in: session)
    if line.has(.json) {
      // Events of workers are repeated as they were sent.
      var number = 0
      let print = { [output = session.output] (event: Substring) in
        number += 1
        output.write("{\"v\":1,\"seq\":\(number)," + event.dropFirst() + "\n")
      }
      let renderer = JSONRenderer(session.output) { type, fields, _ in
        print(EventJSON.text(type, fields + [("batch", "\(batch)")])[...])
      }
      stream = EventStream(session.host, [renderer])
      show = { print($0.text) }
    } else {
      stream = EventStream(session.host, [session.batchRenderer(line)])
      let decoder = EventDecoder(stream, in: session)
      show = { decoder.send($0) }
    }
    follower = BatchFollower(batch, link, on: session.loop)
    follower.onEvents = { [unowned self] events, body in take(events, body) }
    follower.onEnd = { [unowned self] in end = $0 }
    follower.onFailure = { [unowned self] in failure = $0 }
  }

  var isOver: Bool { end != nil || failure != nil }

  /// The state of the batch when it was last asked for.
  var state: BatchState? { follower.state }

  func start(_ plans: [String]) {
    stream.send(.runStarted(plans))
    follower.start()
    offers.start()
  }

  func stop() {
    offers.stop()
    follower.stop()
  }

  /// Counts an entry that was left out.
  func skip(_ entry: PlanEntry, _ reason: String) {
    leftOutCount += 1
    let result = BatchResult(planned: PlannedEntry(entry: entry), outcome: .skipped(reason))
    counts.count(result)
    reports.ended(result)
    let record = ExecutionRecord(
      command: entry.command, id: nil, input: .nil,
      colorIndex: stream.colorIndex(of: entry.command))
    record.entry = entry
    stream.send(.skipped(record, reason: reason))
  }

  func finish(exitCode: Int32, duration: Double) {
    let duration = Duration.microseconds(Int64(duration * 1e6))
    stream.finish(exitCode: exitCode, counts: counts, duration: duration)
  }

  // MARK: Events

  private func take(_ events: [EncodedEvent], _ body: @escaping () -> Void) {
    var ended: [Int64: Failure?] = [:]
    for event in events {
      show(event)
      guard let entry = event.entry else { continue }
      if event.type == "execution_started" { running[entry] = event.command }
      if event.isEnd {
        running[entry] = nil
        ended[entry] = event.failure
      }
    }
    guard !ended.isEmpty else { return body() }
    let failures = ended
    link.send(
      SQL.read_ends, [.integers(ended.keys.sorted().map { Int($0) }), .boolean(wantsOutput)]
    ) { [weak self] answer in
      guard let self else { return }
      switch answer {
      case .success(let rows):
        for row in 0..<rows.count { take(rows, row, failures) }
        body()
      case .failure(let error): failure = error
      }
    }
  }

  private func take(_ rows: ServerRows, _ row: Int, _ failures: [Int64: Failure?]) {
    let number = Int64(rows.integer(row, 0))
    let outcome: BatchResult.Outcome
    let told = failures[number].flatMap { $0 }
    let message = rows.text(row, 6) ?? ""
    switch rows.text(row, 1) {
    case "completed": outcome = .completed
    case "cancelled": outcome = .cancelled(told ?? Failure(.cancelled, message))
    case "skipped": outcome = .skipped(message)
    default:
      let kind = rows.text(row, 5).flatMap(Failure.Kind.init(rawValue:)) ?? .user
      var failure = told ?? Failure(kind, message)
      failure.code = failure.code ?? rows.text(row, 7).flatMap { Int32($0) }
      outcome = .failed(failure)
    }
    let entry = PlanEntry(
      key: EntryKey(), kind: PlanEntry.Kind(rawValue: rows.text(row, 9) ?? "") ?? .command,
      command: rows.text(row, 10) ?? "", input: rows.text(row, 11) ?? "",
      name: rows.text(row, 12), plan: rows.text(row, 13) ?? "", line: rows.integer(row, 14))
    let attempts = rows.integer(row, 4)
    let isStarted = rows.text(row, 2) != nil
    let result = BatchResult(
      planned: PlannedEntry(entry: entry), outcome: outcome, execution: number,
      started: rows.number(row, 2), duration: rows.number(row, 3) ?? 0, attempts: attempts,
      isUpToDate: isStarted && attempts == 0 && rows.text(row, 1) == "completed",
      output: rows.binary(row, 8).flatMap(RecordedLine.lines(in:)) ?? [])
    counts.retries += max(0, attempts - 1)
    counts.count(result)
    reports.ended(result)
  }

  // MARK: Progress

  var total: (count: Int, isExact: Bool)? {
    state?.size.map { ($0 + leftOutCount, true) }
  }

  var runningCommands: [String] { Set(running.values).sorted() }

  var awaitedCommands: [String] { [] }
}
