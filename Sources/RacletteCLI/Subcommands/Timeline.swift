import Journal
import Platform
import RunnerBatch
import RunnerCore
import Scripting

extension Subcommand {
  static let timeline: Subcommand = Subcommand(
    name: "timeline", underMake: .answered, arguments: "[BATCH]",
    summary: "Draw a timeline of the executions of a batch (default: the last one)",
    options: [.journal, .svg, .trace], passesArguments: false
  ) { line in
    try line.refuseWords(beyond: 1, usage: Subcommand.timeline.usage)
    let question = try JournalQuery.asked(by: line)
    try line.rejectSharedFiles([.svg, .trace], [("the journal", question.journal.name)])
    let batch = try question.batch(line.words.first)
    if let path = line[.trace] {
      let timeline = try Timeline(batch, of: question.journal, most: .max)
      try write(TimelineTrace(timeline: timeline).text, to: path)
      if !line.has(.svg) { return ExitStatus.success }
    }
    // More than a reader could distinguish.
    let timeline = try Timeline(batch, of: question.journal, most: 20_000)
    if let path = line[.svg] { try write(TimelinePicture(timeline: timeline).text, to: path) }
    if !line.has(.svg), !line.has(.trace) {
      try Terminal.output(
        TimelineText(
          timeline: timeline, style: question.style, width: TerminalSize(of: STDOUT_FILENO).columns
        ).text)
    }
    return ExitStatus.success
  }

  private static func write(_ text: String, to path: String) throws(UsageError) {
    if path == "/dev/stdout" || path == "-" {
      do { try Terminal.output(text) } catch { throw .input(error.description) }
      return
    }
    let file = try ReportFile(path)
    file.write(text)
    if let problem = file.finish() { throw .input(problem) }
  }
}

extension Option {
  static let svg = Option(
    name: .svg, long: "svg", value: "FILE", form: .file, help: "write a picture instead")
  static let trace = Option(
    name: .trace, long: "trace", value: "FILE", form: .file,
    help: "write a trace for Perfetto or chrome://tracing instead")
}
