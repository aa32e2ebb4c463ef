import LuaRuntime
import Scripting

/// Makes spans of the events of runs: one for a run, in it one for each execution, with its time in
/// the queue and its attempts, and in these one for each of its processes. On the loop's thread.
package final class Trace: EventRenderer {
  private let exporter: TraceExporter
  /// The name of the first span.
  private let name: String
  /// What the run belongs to.
  private let caller: TraceContext?
  private var root: Span?
  /// The places of the executions that have begun and not ended, for their processes.
  private var contexts: [Int: TraceContext] = [:]
  private var processes: [Int32: Span] = [:]
  private var numbers = SpanNumbers()
  private var clock = SpanClock()

  /// - Parameters:
  ///   - name: the name of the run's span.
  ///   - caller: the span that runs belong to; nil if each is a trace of its own.
  init(_ exporter: TraceExporter, _ name: String, caller: TraceContext?) {
    self.exporter = exporter
    self.name = name
    self.caller = caller
  }

  package var joinsStreams: Bool { false }

  /// The value of `TRACEPARENT` for a process.
  ///
  /// - Parameter execution: the id of the outermost execution that it belongs to, if any.
  package func parent(ofProcessIn execution: Int?) -> String {
    let context = execution.flatMap { contexts[$0] } ?? root?.context ?? caller
    return (context ?? TraceContext(&numbers)).text
  }

  package func render(_ event: RunEvent) {
    switch event {
    case .runStarted(let names): begin(names)
    case .queued(let record):
      let traced = open(record)
      traced.part = child(of: traced, "queued", start: traced.begun)
    case .started(let record): start(record)
    case .retry(let record, let attempt, let delay, let cause): retry(record, attempt, delay, cause)
    case .upToDate(let record):
      record.traced?.span.note("raclette.up_to_date", .flag(true))
      if record.savedTime != nil { record.traced?.span.note("raclette.restored", .flag(true)) }
    case .completed(let record): close(end(record, .ok), of: record)
    case .cancelled(let record):
      let traced = end(record, .unset)
      traced.span.note("raclette.cancelled", .flag(true))
      close(traced, of: record)
    case .failed(let record, let failure):
      let failure = failure.masked
      let traced = end(record, .error(failure.message))
      traced.span.note("error.type", .text(failure.kind.rawValue))
      if let code = failure.code { traced.span.note("process.exit.code", .integer(Int(code))) }
      close(traced, of: record)
    case .runFinished(let summary):
      root?.note("raclette.completed", .integer(summary.completed))
      root?.note("raclette.failed", .integer(summary.failed))
      root?.note("raclette.cancelled", .integer(summary.cancelled))
      end(exitCode: summary.exitCode)
    case .waits, .step, .next, .unfinished, .standardError, .skipped, .goesOn, .enabled, .service,
      .unhandled:
      break
    }
  }

  // MARK: Runs

  /// Begins a run.
  ///
  /// - Parameter names: the commands or plans that it executes.
  package func begin(_ names: [String]) {
    root = span(in: caller, name, start: clock.read())
    root?.note("raclette.commands", .text(names.joined(separator: " ")))
  }

  /// Ends the run.
  ///
  /// - Parameter code: its exit status; nil if another run replaces it.
  package func end(exitCode code: Int32?) {
    if var root {
      if let code {
        root.note("process.exit.code", .integer(Int(code)))
        root.outcome = code == ExitStatus.success ? .ok : .error("exit status \(code)")
      }
      root.end = clock.read()
      exporter.add(root)
    }
    root = nil
    contexts = [:]
  }

  /// A span inside another; the root of a new trace if there is no other.
  private func span(in parent: TraceContext?, _ name: String, start: Int64) -> Span {
    guard let parent else { return Span(TraceContext(&numbers), in: nil, name, start: start) }
    return Span(TraceContext(numbers.next(), in: parent), in: parent.number, name, start: start)
  }

  // MARK: Executions

  private func open(_ record: ExecutionRecord) -> TracedExecution {
    let now = clock.read()
    let traced = TracedExecution(
      span(in: root?.context ?? caller, record.command, start: now), of: record)
    record.traced = traced
    if let id = record.id { contexts[id] = traced.span.context }
    return traced
  }

  private func child(of traced: TracedExecution, _ name: String, start: Int64) -> Span {
    span(in: traced.span.context, name, start: start)
  }

  private func start(_ record: ExecutionRecord) {
    // One that did not wait begins its work as it begins.
    guard let traced = record.traced else { return _ = open(record) }
    let now = clock.read()
    traced.endPart(at: now).map(exporter.add)
    traced.begun = now
  }

  /// Ends an attempt. One that is the only one needs no span of its own.
  private func retry(
    _ record: ExecutionRecord, _ attempt: Int, _ delay: Duration, _ cause: Failure?
  ) {
    guard let traced = record.traced else { return }
    let now = clock.read()
    if traced.part == nil { traced.part = child(of: traced, "attempt 1", start: traced.begun) }
    if let cause { traced.part?.outcome = .error(cause.masked.message) }
    traced.endPart(at: now).map(exporter.add)
    traced.part = child(
      of: traced, "attempt \(attempt)", start: now + Int64(delay / .nanoseconds(1)))
    traced.attempts = attempt
  }

  private func end(_ record: ExecutionRecord, _ outcome: Span.Outcome) -> TracedExecution {
    // One that could not start has no time, and a reason.
    let traced = record.traced ?? open(record)
    traced.span.end = clock.read()
    traced.part?.outcome = outcome
    traced.endPart(at: traced.span.end).map(exporter.add)
    traced.span.outcome = outcome
    if traced.attempts > 1 { traced.span.note("raclette.attempts", .integer(traced.attempts)) }
    return traced
  }

  private func close(_ traced: TracedExecution, of record: ExecutionRecord) {
    exporter.add(traced.span)
    record.traced = nil
    if let id = record.id { contexts[id] = nil }
  }
}

/// An execution that waits or works.
final class TracedExecution {
  @exclusivity(unchecked) var span: Span
  /// The part that is under way, if it has a span: the time in the queue, or an attempt.
  @exclusivity(unchecked) var part: Span?
  @exclusivity(unchecked) var attempts = 1
  /// When its work began.
  @exclusivity(unchecked) var begun: Int64

  init(_ span: Span, of record: ExecutionRecord) {
    self.span = span
    begun = span.start
    let entry = record.entry
    self.span.execution = Span.Execution(
      id: record.id, entry: entry?.name, plan: entry.map { ($0.plan, $0.line) },
      recordedAs: record.recordedAs)
  }

  /// Ends the part that is under way, and returns its span.
  func endPart(at time: Int64) -> Span? {
    guard var ended = part else { return nil }
    part = nil
    ended.end = time
    return ended
  }
}

extension Trace: HostObserver, StartObserver {
  package func hostStarts(_ text: String, for command: String?) {}

  /// The most characters of the name of a span.
  private static var longestName: Int { 80 }

  package func hostBegan(
    _ text: String, _ leader: Int32, of execution: Int?, since start: Duration
  ) {
    guard let parent = execution.flatMap({ contexts[$0] }) ?? root?.context else { return }
    let text = Secrets.masked(text)
    let line = text.prefix { $0 != "\n" }
    var span = span(
      in: parent,
      line.count > Self.longestName ? line.prefix(Self.longestName - 1) + "…" : String(line),
      start: clock.read(start))
    span.note("process.command_line", .text(text))
    span.note("process.pid", .integer(Int(leader)))
    processes[leader] = span
  }

  package func hostEndedGroup(_ leader: Int32) {
    guard var span = processes.removeValue(forKey: leader) else { return }
    span.end = clock.read()
    exporter.add(span)
  }
}
