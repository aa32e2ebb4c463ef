import Journal
import Platform
import RunnerBatch
import RunnerCore
import Scripting

extension Subcommand {
  static let replay: Subcommand = Subcommand(
    name: "replay", underMake: .answered, arguments: "ID...",
    summary: "Print the recorded output and outcome of executions",
    options: [.journal, .timed], passesArguments: false
  ) { line in
    guard !line.words.isEmpty else {
      throw UsageError.missingArgument("ID", usage: Subcommand.replay.usage)
    }
    let question = try JournalQuery.asked(by: line)
    let report = Report(
      style: Style(option: line[.color], descriptor: STDERR_FILENO), isQuiet: line.has(.quiet),
      isVerbose: line.has(.verbose))
    for execution in try line.words.map(question.execution) {
      report.note("\(execution.summary) (#\(execution.id))")
      let lines = try question.journal.output(of: execution.id)
      try print(lines, isTimed: line.has(.timed), report)
      if let remark = execution.remark(hasOutput: !lines.isEmpty) {
        report.say("\(execution.summary): \(remark)")
      }
      if let error = execution.error {
        report.error("\(execution.command): \(error)")
      } else if execution.state != .completed {
        report.say("\(execution.command): \(execution.state.rawValue)")
      }
    }
    return ExitStatus.success
  }

  private static func print(
    _ lines: [RecordedLine], isTimed: Bool, _ report: Report
  ) throws(OutputError) {
    var time = 0.0
    for line in lines {
      if isTimed, line.time > time {
        usleep(useconds_t(min(line.time - time, 4_000) * 1e6))
        time = line.time
      }
      let text = String(exactly: line.bytes)
      switch line.stream {
      case .output, .value: try Terminal.output(line.bytes + [10])
      case .chunk: try Terminal.output(line.bytes)
      case .errors: (line.bytes + [10]).withUnsafeBytes { Terminal.error(bytes: $0) }
      case .errorChunk: line.bytes.withUnsafeBytes { Terminal.error(bytes: $0) }
      case .step: report.say(text)
      case .retry: report.say("another attempt follows: \(text)")
      case .leftOut: report.say("not recorded: \(text)")
      }
    }
  }
}

extension RecordedExecution {
  /// A note about unrecorded output, if it is not reported between the lines.
  fileprivate func remark(hasOutput: Bool) -> String? {
    switch state {
    case .running: "it has not ended; more may follow"
    case .interrupted:
      hasOutput
        ? "what it printed in its last moments is not recorded" : "what it printed is not recorded"
    case .completed, .failed, .cancelled:
      hasOutput ? nil : started == nil ? "it never began" : "no output is recorded"
    }
  }
}

extension Terminal {
  /// Writes all bytes to standard output.
  fileprivate static func output(_ bytes: [UInt8]) throws(OutputError) {
    var code = bytes.withUnsafeBytes { output(bytes: $0) }
    if code == 0 { code = flushValues() }
    if code != 0 { throw OutputError(code: code) }
  }
}

extension Option {
  static let timed = Option(
    name: .timed, long: "timed", help: "replay with the original timing")
}
