import Journal
import RunnerBatch
import RunnerCore
import Scripting

extension Subcommand {
  static let history: Subcommand = Subcommand(
    name: "history", underMake: .answered, arguments: "[BATCH|COMMAND]",
    summary: "List recorded executions",
    options: [.journal, .command, .batches, .failed, .limit, .json], passesArguments: false,
    completion: .command
  ) { line in
    try line.refuseWords(beyond: 1, usage: Subcommand.history.usage)
    let question = try JournalQuery.asked(by: line)
    return line.has(.batches) ? try listBatches(question, line) : try list(question, line)
  }

  private static func listBatches(
    _ question: JournalQuery, _ line: CommandLine
  ) throws -> Int32 {
    var batches = try question.journal.batches()
    if line.has(.failed) {
      batches.removeAll { batch in
        RecordedState.unsuccessful.allSatisfy { batch.counts[$0] ?? 0 == 0 }
      }
    }
    if let limit = line.count(.limit) { batches = batches.suffix(limit) }
    for batch in batches {
      try print(batch.json, batch.line(question.style), line)
    }
    return ExitStatus.success
  }

  private static func list(_ question: JournalQuery, _ line: CommandLine) throws -> Int32 {
    var filter = ExecutionFilter()
    if let word = line.words.first {
      // A command whose name is a number needs the option.
      if word.allSatisfy(\.isNumber) {
        filter.batch = try question.batch(word).id
      } else {
        filter.command = try question.command(word)
      }
    }
    if let name = line[.command] { filter.command = try question.command(name) }
    if line.has(.failed) {
      filter.states = RecordedState.unsuccessful
      filter.leavesOutCompleted = true
    }
    // People want the latest executions; programs want all.
    let isAll = line.has(.json) || filter.batch != nil || line.has(.failed)
    filter.limit = line.count(.limit)
    if !isAll, filter.limit == nil {
      try listLatest(question, filter)
    } else {
      let errors = line.has(.json) ? RecordedErrors(question.journal) : nil
      try forEach(question, filter) { execution in
        if let errors {
          let json = execution.json(errors: try errors.text(of: execution))
          try Terminal.output(json: json.text)
        } else {
          try Terminal.output(execution.line(question.style))
        }
      }
    }
    return ExitStatus.success
  }

  private static func listLatest(_ question: JournalQuery, _ filter: ExecutionFilter) throws {
    var filter = filter
    // One more tells whether there are others.
    filter.limit = usualLimit + 1
    var executions: [RecordedExecution] = []
    try forEach(question, filter) { executions.append($0) }
    for execution in executions.suffix(usualLimit) {
      try Terminal.output(execution.line(question.style))
    }
    if executions.count > usualLimit {
      Terminal.error("raclette: these are the latest \(usualLimit); --limit N lists more\n")
    }
  }

  private static func forEach(
    _ question: JournalQuery, _ filter: ExecutionFilter, _ body: (RecordedExecution) throws -> Void
  ) throws {
    var problem: (any Error)?
    try question.journal.forEachExecution(filter) { execution in
      do { try body(execution) } catch { problem = error }
      return problem == nil
    }
    if let problem { throw problem }
  }

  /// The number of executions that are listed for people.
  private static let usualLimit = 50

  private static func print(
    _ json: @autoclosure () -> JSONValue, _ text: @autoclosure () -> String, _ line: CommandLine
  ) throws(OutputError) {
    if line.has(.json) {
      try Terminal.output(json: json().text)
    } else {
      try Terminal.output(text())
    }
  }
}

/// The standard error of failed executions, read through a separate connection: the journal's own
/// is busy while it lists executions.
private final class RecordedErrors {
  private let listed: any JournalReader
  private var journal: (any JournalReader)?
  /// The same number of lines as in an error of a process.
  private static let mostLines = 20

  init(_ listed: any JournalReader) { self.listed = listed }

  /// The last lines; nil if there are none, or the execution has not failed.
  func text(of execution: RecordedExecution) throws -> String? {
    guard execution.errorKind != nil else { return nil }
    let journal = try journal ?? listed.another()
    self.journal = journal
    let output = try journal.output(of: execution.id).filter {
      $0.stream == .errors || $0.stream == .errorChunk
    }
    guard !output.isEmpty else { return nil }
    var bytes: [UInt8] = []
    for line in output {
      bytes += line.bytes
      if line.stream.endsLine { bytes.append(10) }
    }
    if bytes.last == 10 { bytes.removeLast() }
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    return String(
      decoding: Array(lines.suffix(Self.mostLines).joined(separator: [10])), as: UTF8.self)
  }
}

extension Option {
  static let command = Option(
    name: .command, long: "command", value: "NAME",
    help: "list only executions of one command or script"
  )
  static let batches = Option(
    name: .batches, long: "batches", help: "list batches instead of executions")
  static let failed = Option(
    name: .failed, long: "failed",
    help: "list what failed, was cancelled or interrupted, and has not completed since")
  static let limit = Option(
    name: .limit, long: "limit", value: "N", form: .count,
    help: "list only the latest N (default: 50 without other filters; all with --json)")
}
