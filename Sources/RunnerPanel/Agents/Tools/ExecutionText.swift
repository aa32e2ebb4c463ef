import EventLoop
import Platform
import RunnerCore
import Scripting

/// What the tools tell of an execution: as the report of `--agent`, from the record of its output.
struct ExecutionText {
  let execution: PanelExecution

  /// The most lines of output, and the most bytes in which an error is sought.
  static let usualLines = 50
  private static let mostSought = 16 << 20
  private static let newline: [UInt8] = [10]

  /// The state, the error with its cause and the last lines.
  func summary(atMost lines: Int = usualLines) -> String {
    var report = head
    let last = lastLines(lines)
    report.lines = last.texts
    report.leftOut = last.first
    if execution.state == .failed, last.first > 0 { report.firstError = firstError }
    report.place = "look {\"number\": \(execution.id), \"from\": 0}"
    return report.text(atMost: lines + 2).map { $0 + "\n" }.joined()
      + (execution.isOver ? "" : begunLine + goesOn)
  }

  /// The line that it has begun and not ended, which may be the question for one.
  private var begunLine: String {
    if let prompt = execution.prompt() {
      return """
          \(prompt.text)
        it may wait for a line: answer {"number": \(execution.id), "text": "…"} sends one

        """
    }
    guard !execution.begun.bytes.isEmpty else { return "" }
    return "  " + execution.begun.bytes.withUnsafeBytes { AgentReport.text(of: $0) } + "\n"
  }

  private var goesOn: String {
    let number = "{\"number\": \(execution.id)"
    return """
      it continues; to see what follows: look \(number), "from": \(execution.output.count), \
      "wait": 60}; to end it: cancel \(number)}

      """
  }

  /// The fields for programs.
  var fields: [(String, JSONValue)] {
    var fields: [(String, JSONValue)] = [
      ("number", .integer(Int64(execution.id))), ("command", .string(execution.command)),
      ("state", .string(execution.state.rawValue)),
    ]
    if let code = failure?.code { fields.append(("exit_status", .integer(code))) }
    if let message = failure?.message { fields.append(("error", .string(message))) }
    fields.append(("outputs", .integer(Int64(execution.output.count))))
    return fields
  }

  /// The line about it without its output.
  var line: String { head.text(atMost: 1).joined() }

  private var head: AgentReport.Ended {
    let end = execution.ended ?? WallClock.seconds
    let duration = execution.started.map { Duration.milliseconds(Int64(max(0, end - $0) * 1000)) }
    var report = AgentReport.Ended(
      label: label, duration: duration, number: Int64(execution.id))
    report.attempts = execution.attempt
    report.isUpToDate = execution.isUpToDate
    report.isRestored = execution.saved != nil
    report.failure = failure?.message
    report.code = failure?.code.map { Int($0) }
    if execution.state != .completed, execution.state != .failed {
      report.state = execution.state.rawValue
    }
    return report
  }

  private var label: String {
    guard let input = execution.input, input != "{}" else { return execution.command }
    return "\(execution.command) \(Secrets.masked(json: input))"
  }

  private var failure: (message: String, code: Int64?)? {
    guard let text = execution.error, let error = JSONValue(text: Secrets.masked(json: text))
    else { return nil }
    return (error[field: "message"]?.string ?? "", error[field: "code"]?.integer)
  }

  private func lastLines(_ most: Int) -> (texts: [String], first: Int) {
    let first = max(0, execution.output.count - most)
    var lines: [String] = []
    OutputLines(execution.output).read(from: first) { line in
      lines.append(line.text)
      return true
    }
    return (lines, first)
  }

  /// The first lines that look like an error: most tools write theirs to standard error.
  private var firstError: [String] {
    var errors = FirstError()
    var output = FirstError()
    var sought = 0
    var cursor = OutputCursor(execution.output, from: 0)
    cursor.read { part in
      sought += part.bytes.count + 1
      if part.run.kind == .step {
        // The error names it.
      } else if part.run.kind == .errorLines {
        errors.append(part.bytes)
        Self.newline.withUnsafeBytes { errors.append($0) }
      } else if !output.isComplete {
        output.append(part.bytes)
        if part.run.kind != .chunk { Self.newline.withUnsafeBytes { output.append($0) } }
      }
      return !errors.isComplete && sought < Self.mostSought
    }
    return errors.lines.isEmpty ? output.lines : errors.lines
  }
}

/// The output of an execution in lines without colours.
struct OutputLines {
  private let record: OutputRecord

  init(_ record: OutputRecord) { self.record = record }

  struct Line {
    /// The number of its output.
    let number: Int
    /// Its position in that output.
    let index: Int
    let text: String
    let isError: Bool
  }

  /// Calls `body` with one line after the other until it returns false.
  ///
  /// - Parameters:
  ///   - number: the first output; a negative number counts from the end.
  ///   - first: the first line of that output.
  func read(from number: Int, line first: Int = 0, _ body: (Line) -> Bool) {
    let number = number < 0 ? record.count + number : number
    var cursor = OutputCursor(record, from: number)
    cursor.read { output in
      let isError = output.run.kind == .errorLines
      let first = output.number == number ? first : 0
      if output.run.kind == .step { return true }
      guard !output.run.kind.isLines else {
        let text = AgentReport.text(of: output.bytes)
        return first > 0
          || body(Line(number: output.number, index: 0, text: text, isError: isError))
      }
      var parts = output.bytes.split(separator: 10, omittingEmptySubsequences: false)
      if parts.last?.isEmpty == true { parts.removeLast() }
      for (index, part) in parts.enumerated().dropFirst(first) {
        let text = AgentReport.text(of: UnsafeRawBufferPointer(rebasing: part))
        let line = Line(number: output.number, index: index, text: text, isError: false)
        guard body(line) else { return false }
      }
      return true
    }
  }
}
