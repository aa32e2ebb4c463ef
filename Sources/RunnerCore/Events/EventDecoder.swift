import EventLoop
import LuaRuntime
import Platform
import Scripting

/// Sends the events that workers have encoded to a stream, as those of a batch on this machine. The
/// counterpart of `JSONRenderer`: a type of event has a case in both.
package final class EventDecoder {
  private let stream: EventStream
  private let host: ScriptHost
  private let report: Report
  private let output: ValueOutput
  private var records: [Int64: Known] = [:]

  private struct Known {
    let record: ExecutionRecord
    var hasErrors = false
  }

  package init(_ stream: EventStream, in session: Session) {
    self.stream = stream
    host = session.host
    report = session.report
    output = session.output
  }

  package func send(_ event: EncodedEvent) {
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
      record.savedTime = event["saved"]?.seconds.map { .seconds($0) }
      stream.send(.upToDate(record))
    // Left out is "waits": a worker claims only what it has free.
    case "step":
      if let step = WorkStep(event) { stream.send(.step(record, step)) }
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
      record.cancelledBy = event["cancelled_by"]?.string
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

  private func record(of event: EncodedEvent, _ key: Int64) -> ExecutionRecord {
    if let known = records[key], event.entry != nil { return known.record }
    let record = ExecutionRecord(
      command: event.command, id: nil, input: .nil,
      colorIndex: stream.colorIndex(of: event.command))
    record.entry = event.planEntry
    record.recordedAs = event.entry
    if event.entry != nil { records[key] = Known(record: record) }
    return record
  }

  private func value(_ event: EncodedEvent, of record: ExecutionRecord) {
    if let problem = event["problem"]?.string {
      return output.report(unprintable: problem, record)
    }
    var value = LuaValue.nil
    if let text = event["value_base64"]?.string, let bytes = Base64.bytes(of: text) {
      value = .string(LuaString(bytes))
    } else if let json = event["value"] {
      value = (try? host.value(json: json.text)) ?? .nil
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
}

extension WorkStep {
  /// The step that an event of the type `step` tells of; nil if a field is missing.
  package init?(_ event: EncodedEvent) {
    guard let number = event["step"]?.integer, let count = event["steps"]?.integer,
      let name = event["name"]?.string
    else { return nil }
    self.init(number: Int(number), count: Int(count), name: name)
  }
}
