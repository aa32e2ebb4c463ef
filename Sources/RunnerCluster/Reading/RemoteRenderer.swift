import EventLoop
import Journal
import LuaRuntime
import Platform
import RunnerBatch
import RunnerCore
import Scripting

/// Shows the events of workers.
protocol RemoteRenderer: AnyObject {
  func begin(_ plans: [String])
  func render(_ event: RemoteEvent)
  /// An entry that is not executed because it has completed in an earlier batch.
  func skip(_ entry: PlanEntry, _ reason: String)
  func finish(exitCode: Int32, counts: EntryCounts, duration: Duration)
}

/// Prints events as they are, numbered.
final class RemoteJSONRenderer: RemoteRenderer {
  private let output: ValueOutput
  private let batch: Int64
  private var number = 0

  init(_ output: ValueOutput, batch: Int64) {
    self.output = output
    self.batch = batch
  }

  func begin(_ plans: [String]) {
    print("run_started", [("commands", JSONValue.list(plans.map { .string($0) }).text)])
  }

  func render(_ event: RemoteEvent) {
    number += 1
    output.write("{\"v\":1,\"seq\":\(number)," + event.text.dropFirst() + "\n")
  }

  func skip(_ entry: PlanEntry, _ reason: String) {
    var place: [(String, JSONValue)] = [
      ("plan", .string(entry.plan)), ("line", .integer(Int64(entry.line))),
    ]
    if let name = entry.name { place.append(("id", .string(name))) }
    print(
      "skipped",
      [
        ("command", JSONValue.string(entry.command).text),
        ("entry", JSONValue.object(place).text), ("reason", JSONValue.string(reason).text),
      ])
  }

  func finish(exitCode: Int32, counts: EntryCounts, duration: Duration) {
    print(
      "run_finished",
      [
        ("completed", "\(counts.completed)"), ("failed", "\(counts.failed)"),
        ("cancelled", "\(counts.cancelled)"), ("skipped", "\(counts.skipped)"),
        ("duration", duration.secondsText), ("exit_code", "\(exitCode)"),
      ])
  }

  private func print(_ type: String, _ fields: [EventJSON.Field]) {
    number += 1
    let fields = fields + [("batch", "\(batch)")]
    output.write(EventJSON.text(number, type, fields) + "\n")
  }
}

/// Shows events as those of a batch on one machine.
final class RemoteTextRenderer: RemoteRenderer {
  private let session: Session
  private let stream: EventStream
  private let report: Report
  private var records: [Int64: Known] = [:]

  private struct Known {
    let record: ExecutionRecord
    var hasErrors = false
  }

  init(_ session: Session, _ line: CommandLine) {
    self.session = session
    report = session.report
    stream = EventStream(session.host, [session.batchRenderer(line)])
  }

  func begin(_ plans: [String]) { stream.send(.runStarted(plans)) }

  func render(_ event: RemoteEvent) {
    let key = event.entry ?? 0
    let record = record(of: event, key)
    switch event.type {
    case "execution_queued": stream.send(.queued(record))
    case "execution_started":
      record.startTime = EventLoop.now
      if let worker = event.worker { report.note("\(event.command) goes to \(worker)") }
      stream.send(.started(record))
    case "up_to_date":
      record.isUpToDate = true
      stream.send(.upToDate(record))
    case "next": value(event, of: record)
    case "stderr":
      records[key]?.hasErrors = true
      let bytes = (event["value"]?.string ?? "").exactBytes + [10]
      bytes.withUnsafeBytes { stream.send(.standardError(record, $0)) }
    case "retry":
      stream.send(
        .retry(
          record, attempt: Int(event["attempt"]?.integer ?? 2),
          delay: .milliseconds(Int64((event["delay"]?.seconds ?? 0) * 1000)),
          cause: event.failure))
    case "error":
      var failure = event.failure ?? Failure(.user, "failed")
      failure.hidesStandardError = records[key]?.hasErrors == false
      end(record, key, failure)
    case "completed": end(record, key, nil)
    case "cancelled":
      end(record, key, event.failure ?? Failure(.cancelled, "the execution was cancelled"))
    case "gap":
      let count = event["count"]?.integer ?? 0
      report.say("\(event.command): \(count) events were not kept")
    case "log": report.error(event["message"]?.string ?? "")
    case "skipped":
      records[key] = nil
      stream.send(.skipped(record, reason: event["reason"]?.string ?? ""))
    default: break
    }
  }

  private func record(of event: RemoteEvent, _ key: Int64) -> ExecutionRecord {
    if let known = records[key], event.entry != nil { return known.record }
    let record = ExecutionRecord(
      command: event.command, id: nil, input: .nil,
      colorIndex: stream.colorIndex(of: event.command))
    record.entry = event.planEntry()
    record.recordedAs = event.entry
    if event.entry != nil { records[key] = Known(record: record) }
    return record
  }

  private func value(_ event: RemoteEvent, of record: ExecutionRecord) {
    var value = LuaValue.nil
    if let text = event["value_base64"]?.string, let bytes = Base64.bytes(of: text) {
      value = .string(LuaString(bytes))
    } else if let json = event["value"] {
      value = (try? session.host.value(json: json.text)) ?? .nil
    }
    if case .bool(true)? = event["chunk"], case .string(let string) = value {
      string.withUnsafeBytes { stream.send(.next(record, .batch(.chunk($0)))) }
    } else {
      stream.send(.next(record, .one(value)))
    }
  }

  private func end(_ record: ExecutionRecord, _ key: Int64, _ failure: Failure?) {
    records[key] = nil
    stream.end(record, failure)
  }

  func skip(_ entry: PlanEntry, _ reason: String) {
    let record = ExecutionRecord(
      command: entry.command, id: nil, input: .nil,
      colorIndex: stream.colorIndex(of: entry.command))
    record.entry = entry
    stream.send(.skipped(record, reason: reason))
  }

  func finish(exitCode: Int32, counts: EntryCounts, duration: Duration) {
    stream.finish(exitCode: exitCode, counts: counts)
  }
}
