import LuaRuntime
import Platform
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
  private var executions: [ObjectIdentifier: Entry] = [:]
  private var contexts: [Int: TraceContext] = [:]
  private var processes: [Int32: Span] = [:]
  /// What was reported to start last: the process whose group begins next.

  private struct Entry {
    var span: Span
    /// The part that is under way: the time in the queue, or an attempt.
    var part: Span?
    var attempts = 1
    /// When its work began.
    var begun: Int64
  }

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
    return (context ?? TraceContext()).text
  }

  package func render(_ event: RunEvent) {
    switch event {
    case .runStarted(let names): begin(names)
    case .queued(let record):
      var entry = open(record)
      entry.part = entry.span.child("queued", start: entry.span.start)
      executions[ObjectIdentifier(record)] = entry
    case .started(let record):
      var entry = executions[ObjectIdentifier(record)] ?? open(record)
      close(&entry.part)
      entry.begun = WallClock.nanoseconds
      executions[ObjectIdentifier(record)] = entry
    case .retry(let record, let attempt, let delay, let cause): retry(record, attempt, delay, cause)
    case .upToDate(let record):
      executions[ObjectIdentifier(record)]?.span.note("raclette.up_to_date", true)
      if record.savedTime != nil {
        executions[ObjectIdentifier(record)]?.span.note("raclette.restored", true)
      }
    case .completed(let record): end(record, .ok) { _ in }
    case .cancelled(let record):
      end(record, .unset) { $0.note("raclette.cancelled", true) }
    case .failed(let record, let failure):
      let failure = failure.masked
      end(record, .error(failure.message)) {
        $0.note("error.type", failure.kind.rawValue)
        if let code = failure.code { $0.note("process.exit.code", Int(code)) }
      }
    case .runFinished(let summary):
      root?.note("raclette.completed", summary.completed)
      root?.note("raclette.failed", summary.failed)
      root?.note("raclette.cancelled", summary.cancelled)
      end(exitCode: summary.exitCode)
    case .next, .unfinished, .standardError, .skipped, .goesOn, .enabled, .service, .unhandled:
      break
    }
  }

  /// Begins a run.
  ///
  /// - Parameter names: the commands or plans that it executes.
  package func begin(_ names: [String]) {
    let context = caller.map { TraceContext(trace: $0.trace) } ?? TraceContext()
    root = Span(context, in: caller?.span, name)
    root?.note("raclette.commands", names.joined(separator: " "))
  }

  private func open(_ record: ExecutionRecord) -> Entry {
    var span =
      root?.child(record.command)
      ?? caller.map { Span(TraceContext(trace: $0.trace), in: $0.span, record.command) }
      ?? Span(TraceContext(), in: nil, record.command)
    span.note("raclette.command", record.command)
    if let id = record.id {
      span.note("raclette.execution", id)
      contexts[id] = span.context
    }
    if let entry = record.entry {
      if let name = entry.name { span.note("raclette.entry", name) }
      span.note("raclette.plan", entry.plan)
      span.note("raclette.line", entry.line)
    }
    if let number = record.recordedAs { span.note("raclette.recorded_as", Int(number)) }
    return Entry(span: span, begun: span.start)
  }

  /// Ends an attempt. One that is the only one needs no span of its own.
  private func retry(
    _ record: ExecutionRecord, _ attempt: Int, _ delay: Duration, _ cause: Failure?
  ) {
    guard var entry = executions[ObjectIdentifier(record)] else { return }
    var part = entry.part ?? entry.span.child("attempt 1", start: entry.begun)
    part.end = WallClock.nanoseconds
    if let cause { part.outcome = .error(cause.masked.message) }
    exporter.add(part)
    entry.part = entry.span.child(
      "attempt \(attempt)", start: WallClock.nanoseconds + Int64(delay / .nanoseconds(1)))
    entry.attempts = attempt
    executions[ObjectIdentifier(record)] = entry
  }

  private func end(
    _ record: ExecutionRecord, _ outcome: Span.Outcome, _ note: (inout Span) -> Void
  ) {
    // One that could not start has no time, and a reason.
    var entry = executions.removeValue(forKey: ObjectIdentifier(record)) ?? open(record)
    entry.part?.outcome = outcome
    close(&entry.part)
    entry.span.outcome = outcome
    if entry.attempts > 1 { entry.span.note("raclette.attempts", entry.attempts) }
    note(&entry.span)
    var span: Span? = entry.span
    close(&span)
    if let id = record.id { contexts[id] = nil }
  }

  private func close(_ span: inout Span?) {
    guard var ended = span else { return }
    ended.end = WallClock.nanoseconds
    exporter.add(ended)
    span = nil
  }

  /// Ends the run.
  ///
  /// - Parameter code: its exit status; nil if another run replaces it.
  package func end(exitCode code: Int32?) {
    if let code {
      root?.note("process.exit.code", Int(code))
      root?.outcome = code == ExitStatus.success ? .ok : .error("exit status \(code)")
    }
    close(&root)
    contexts = [:]
  }
}

extension Trace: HostObserver, StartObserver {
  package func hostStarts(_ text: String, for command: String?) {}

  /// The most characters of the name of a span.
  private static var longestName: Int { 80 }

  package func hostBegan(_ text: String, _ leader: Int32, of execution: Int?) {
    guard let parent = execution.flatMap({ contexts[$0] }) ?? root?.context else { return }
    let text = Secrets.masked(text)
    let line = text.prefix { $0 != "\n" }
    var span = Span(
      TraceContext(trace: parent.trace), in: parent.span,
      line.count > Self.longestName ? line.prefix(Self.longestName - 1) + "…" : String(line))
    span.note("process.command_line", text)
    span.note("process.pid", Int(leader))
    processes[leader] = span
  }

  package func hostEndedGroup(_ leader: Int32) {
    var span = processes.removeValue(forKey: leader)
    close(&span)
  }
}
