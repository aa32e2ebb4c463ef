import EventLoop
import Platform
import RunnerCore
import Scripting

/// What a hub has executed, for those who come back with a number after the hub has ended, or was killed:
/// the latest executions with the ends of their outputs. On the loop's thread.
///
/// It is a file with a line of JSON for each, so that what is there stays readable whenever the hub is
/// killed.
final class HubHistory {
  /// The size from which the file is replaced by one with its last lines, and what is kept of it.
  private static let most = 4 << 20
  private static let kept = 2 << 20
  /// The longest output, input and error that is written down.
  fileprivate static let longest = 256 << 10

  private let path: String
  private let descriptor: Int32
  private var size = 0
  /// What predecessors have executed, the first end first.
  let past: [PastExecution]

  /// - Throws: `HubError.folder` if the file cannot be made.
  init(_ path: String) throws(HubError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .folder(path, reason: systemErrorText(errno)) }
    let bytes = fileContent(path) ?? []
    size = bytes.count
    past = bytes.split(separator: 10).compactMap { line in
      JSONValue(text: String(decoding: line, as: UTF8.self)).flatMap(PastExecution.init)
    }
    // A line that was cut off does not spoil the next.
    if bytes.last.map({ $0 != 10 }) == true { write([10]) }
  }

  deinit { close(descriptor) }

  /// Writes down an execution that has ended.
  func add(_ execution: PanelExecution) {
    let line = Array((PastExecution(execution).json.text + "\n").utf8)
    if size + line.count > Self.most { shorten() }
    write(line)
  }

  private func write(_ bytes: [UInt8]) {
    // On a full disk no half line spoils the next one.
    guard writeAll(bytes, to: descriptor) == 0 else {
      ftruncate(descriptor, off_t(size))
      return
    }
    size += bytes.count
  }

  private func shorten() {
    let size = replaceFile(at: path, openAs: descriptor) { _ in
      let rest = (fileContent(path) ?? []).suffix(Self.kept)
      return Array(rest.drop { $0 != 10 }.dropFirst())
    }
    if let size { self.size = size }
  }
}

/// An execution of a hub that has ended, as it is written down.
struct PastExecution {
  let number: Int
  let command: String
  private let fields: JSONValue

  init(_ execution: PanelExecution) {
    number = execution.id
    command = execution.command
    var end = execution.output.end
    if end.bytes.count > HubHistory.longest { end = (execution.output.count, []) }
    var fields: [(String, JSONValue)] = [
      ("number", .integer(Int64(number))), ("command", .string(command)),
      ("state", .string(execution.state.rawValue)), ("created", .number(execution.created)),
      ("outputs", .integer(Int64(execution.output.count))),
      ("first", .integer(Int64(end.first))), ("output", .string(Base64.text(of: end.bytes))),
      ("attempt", .integer(Int64(execution.attempt))),
      ("up_to_date", .bool(execution.isUpToDate)),
    ]
    if let input = execution.input, input.utf8.count <= HubHistory.longest {
      fields.append(("input", .string(Secrets.masked(json: input))))
    }
    if let error = execution.error, error.utf8.count <= HubHistory.longest {
      fields.append(("error", .raw(Secrets.masked(json: error))))
    }
    for (name, time) in [("started", execution.started), ("ended", execution.ended)] {
      if let time { fields.append((name, .number(time))) }
    }
    for (name, text) in [("by", execution.cancelledBy), ("task", execution.taskKey)] {
      if let text { fields.append((name, .string(text))) }
    }
    self.fields = .object(fields)
  }

  /// Reads what `json` writes; nil for anything else.
  init?(_ json: JSONValue) {
    guard let number = json[field: "number"]?.integer, let command = json[field: "command"]?.string
    else { return nil }
    self.number = Int(number)
    self.command = command
    fields = json
  }

  var json: JSONValue { fields }

  /// Lets a panel have it among its executions.
  func restore(in panel: Panel) {
    let execution = PanelExecution(
      number, of: command, input: fields[field: "input"]?.string,
      created: fields[field: "created"]?.seconds ?? 0)
    execution.isPast = true
    execution.started = fields[field: "started"]?.seconds
    execution.attempt = fields[field: "attempt"]?.integer.map { Int($0) } ?? 1
    execution.isUpToDate = fields[field: "up_to_date"]?.bool ?? false
    execution.cancelledBy = fields[field: "by"]?.string
    execution.taskKey = fields[field: "task"]?.string
    panel.executions.add(execution)
    if execution.started != nil { panel.note(execution, .running) }
    let output = fields[field: "output"]?.string.flatMap(Base64.bytes(of:)) ?? []
    execution.output.lose(first: fields[field: "first"]?.integer.map { Int($0) } ?? 0, bytes: 0)
    OutputRecord.forEachRun(of: output) { run, bytes in
      // Events are in the order of their numbers.
      execution.output.append(
        run.kind, bytes, count: run.count, number: panel.feed.takeNumbers(run.count),
        time: run.time)
    }
    let state =
      fields[field: "state"]?.string.flatMap(PanelExecution.State.init(rawValue:)) ?? .failed
    panel.noteEnd(
      of: execution, as: state.isEnded ? state : .failed,
      fields[field: "error"].map { Failure($0) },
      at: fields[field: "ended"]?.seconds ?? execution.created)
  }
}
