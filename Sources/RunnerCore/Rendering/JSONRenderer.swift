import LuaRuntime
import Platform
import Scripting

/// Prints a run as NDJSON: an object a line, by the schema in `events.schema.json`.
package final class JSONRenderer: EventRenderer {
  private let output: ValueOutput
  private let errorLines = ErrorLines()
  /// True if the values go to standard output, and those that JSON cannot represent are reported.
  private let isPrinter: Bool
  /// Writes an event, with the execution that it is about.
  private let write: (_ type: String, _ fields: [Field], _ record: ExecutionRecord?) -> Void

  private var host: ScriptHost { output.host }

  package convenience init(_ output: ValueOutput) {
    var number = 0
    self.init(output, isPrinter: true) { type, fields, _ in
      number += 1
      let line = EventJSON.text(number, type, fields) + "\n"
      line.withExactBytes { output.write(masked: $0) }
    }
  }

  /// A renderer whose events go elsewhere.
  package convenience init(
    _ output: ValueOutput,
    _ write:
      @escaping (_ type: String, _ fields: [EventJSON.Field], _ record: ExecutionRecord?)
      -> Void
  ) {
    self.init(output, isPrinter: false, write)
  }

  private init(
    _ output: ValueOutput, isPrinter: Bool,
    _ write:
      @escaping (_ type: String, _ fields: [EventJSON.Field], _ record: ExecutionRecord?)
      -> Void
  ) {
    self.output = output
    self.isPrinter = isPrinter
    self.write = write
  }

  package var joinsStreams: Bool { false }

  package func render(_ event: RunEvent) {
    switch event {
    case .runStarted(let commands):
      print("run_started", ("commands", JSONValue.list(commands.map { .string($0) }).text))
    case .queued(let record): print("execution_queued", record, input(of: record))
    case .waits(let contention): write("waits", contention.fields, nil)
    case .started(let record): print("execution_started", record, input(of: record))
    case .upToDate(let record):
      print("up_to_date", record, ("saved", record.savedTime?.secondsText))
    case .skipped(let record, let reason):
      print("skipped", record, ("reason", JSONValue.string(reason).text))
    case .step(let record, let step):
      finishErrors(of: record)
      print(
        "step", record, ("step", "\(step.number)"), ("steps", "\(step.count)"),
        ("name", JSONValue.string(Secrets.masked(step.name)).text))
    case .next(let record, let values):
      let isChunk = if case .batch(_ as ByteChunk) = values { true } else { false }
      values.forEach { value in
        let (text, problem) = text(of: value, record)
        print(
          "next", record, ("value", text), ("value_base64", base64(of: value)),
          ("chunk", isChunk ? "true" : nil),
          ("problem", problem.map { JSONValue.string($0).text }))
      }
    case .unfinished: break
    case .standardError(let record, let bytes):
      errorLines.append(bytes, of: record) { print(errorLine: $0, record) }
    case .retry(let record, let attempt, let delay, let cause):
      print(
        "retry", record, ("attempt", "\(attempt)"), ("delay", delay.secondsText),
        ("error", cause.map { text(of: $0) }))
    case .failed(let record, let failure):
      finishErrors(of: record)
      print("error", record, ("error", text(of: failure)))
    case .completed(let record):
      finishErrors(of: record)
      print("completed", record)
    case .cancelled(let record):
      finishErrors(of: record)
      print("cancelled", record)
    case .enabled(let command, let isEnabled):
      print("enabled", ("command", JSONValue.string(command).text), ("value", "\(isEnabled)"))
    case .service(let command, let input, let status, _):
      let fields = status.fields.map { ($0.0, $0.1.text as String?) }
      write(
        "service_state",
        [
          ("command", JSONValue.string(command.name).text),
          ("input", input.isNil ? nil : EventJSON.text(of: input, host)),
        ] + fields, nil)
    case .goesOn: break
    case .unhandled(let failure): print("unhandled", ("error", text(of: failure)))
    case .runFinished(let summary):
      errorLines.finishAll(print(errorLine:_:))
      print(
        "run_finished", ("completed", "\(summary.completed)"), ("failed", "\(summary.failed)"),
        ("cancelled", "\(summary.cancelled)"), ("skipped", summary.skipped.map { "\($0)" }),
        ("duration", summary.duration.secondsText),
        ("exit_code", summary.exitCode.map(String.init)),
        ("replaced", summary.exitCode == nil ? "true" : nil))
    }
  }

  private typealias Field = EventJSON.Field

  private func print(_ type: String, _ record: ExecutionRecord, _ fields: Field...) {
    let name = record.command.isEmpty ? nil : JSONValue.string(record.command).text
    let own: [Field] = [
      ("command", name), ("execution", record.id.map(String.init)), ("entry", entry(of: record)),
    ]
    write(type, own + fields, record)
  }

  private func print(_ type: String, _ fields: Field...) { write(type, fields, nil) }

  private func print(errorLine line: UnsafeRawBufferPointer, _ record: ExecutionRecord?) {
    let text = JSONValue.string(
      Secrets.masked(String(exactly: line.last == 10 ? line.dropLast() : line[...]))
    ).text
    if let record {
      print("stderr", record, ("value", text))
    } else {
      print("stderr", ("value", text))
    }
  }

  private func finishErrors(of record: ExecutionRecord) {
    errorLines.finish(record) { print(errorLine: $0, record) }
  }

  /// The place in the plan that requested the execution.
  private func entry(of record: ExecutionRecord) -> String? {
    guard let entry = record.entry else { return nil }
    var fields: [(String, JSONValue)] = [
      ("plan", .string(entry.plan)), ("line", .integer(Int64(entry.line))),
    ]
    if let name = entry.name { fields.append(("id", .string(Secrets.masked(name)))) }
    if let number = record.recordedAs { fields.append(("recorded", .integer(number))) }
    return JSONValue.object(fields).text
  }

  private func input(of record: ExecutionRecord) -> Field {
    ("input", record.input.isNil ? nil : EventJSON.text(of: record.input, host))
  }

  /// A value as JSON, and why that is not the value, if whoever shows it has to report that.
  private func text(
    of value: LuaValue, _ record: ExecutionRecord
  ) -> (text: String, problem: String?) {
    if isPrinter { return (output.json(of: value, record), nil) }
    return EventJSON.textOrProblem(of: value, host)
  }

  private func base64(of value: LuaValue) -> String? { EventJSON.base64(of: value) }

  private func text(of failure: Failure) -> String { EventJSON.text(of: failure) }
}

extension Failure {
  /// The fields of the failure in JSON.
  package var fields: [(String, JSONValue)] {
    var fields: [(String, JSONValue)] = [
      ("kind", .string(kind.rawValue)), ("message", .string(message)),
    ]
    if let cause { fields.append(("cause", .string(cause.rawValue))) }
    if let command { fields.append(("command", .string(command))) }
    if outer != nil {
      if let execution { fields.append(("execution", .integer(Int64(execution)))) }
      if let inputJSON { fields.append(("input", .raw(inputJSON))) }
    }
    if let position { fields.append(("position", .string(position))) }
    if let code { fields.append(("code", .integer(Int64(code)))) }
    if let signal { fields.append(("signal", .string(signal))) }
    if let stderr { fields.append(("stderr", .string(stderr))) }
    if !argv.isEmpty { fields.append(("argv", .list(argv.map { .string($0) }))) }
    if let traceback { fields.append(("traceback", .string(traceback))) }
    return fields
  }
}
