import RunnerBatch
import RunnerCluster
import RunnerCore

extension Subcommand {
  static let attach: Subcommand = Subcommand(
    name: "attach", underMake: .leftOut, arguments: "NUMBER",
    summary: "Follow a detached execution, or a server's batch, from its beginning",
    options: [.file, .global, .serverJournal, .output, .json, .progress, .summary, .junit],
    passesArguments: false
  ) { line in
    let number = try line.number(named: "NUMBER", for: .attach)
    guard JournalPath.named(line) != nil else { return try HubCalls.attach(line, number) }
    let address = try line.serverAddress(for: "attach")
    try line.rejectSharedFiles([.summary, .junit], [])
    return try Attachment(line, address, batch: number).execute()
  }

  static let jobs: Subcommand = Subcommand(
    name: "jobs", underMake: .answered, arguments: "",
    summary: "Show the queue and the workers of a server",
    options: [.serverJournal, .json], passesArguments: false
  ) { line in
    try line.refuseWords(beyond: 0, usage: Subcommand.jobs.usage)
    let address = try line.serverAddress(for: "jobs")
    let report = try JobsReport(ServerQuestions(address))
    if line.has(.json) {
      try Terminal.output(json: report.json.text)
    } else {
      try Terminal.output(report.text(Style(option: line[.color], descriptor: 1)))
    }
    return ExitStatus.success
  }

  static let cancel: Subcommand = Subcommand(
    name: "cancel", underMake: .leftOut, arguments: "NUMBER",
    summary: "Cancel a detached execution, or a batch or an execution on a server",
    options: [.file, .global, .serverJournal], passesArguments: false
  ) { line in
    let number = try line.number(named: "NUMBER", for: .cancel)
    guard JournalPath.named(line) != nil else { return try HubCalls.cancel(line, number) }
    let address = try line.serverAddress(for: "cancel")
    let text = try Cancellation.cancel(number, ServerQuestions(address))
    Terminal.error("raclette: \(text)\n")
    return ExitStatus.success
  }

  static let prune: Subcommand = Subcommand(
    name: "prune", underMake: .leftOut, arguments: "",
    summary: "Remove old batches from a journal on a server, or results from the cache",
    options: [.serverJournal, .olderThan, .keepBatches, .cache], passesArguments: false
  ) { line in
    try line.refuseWords(beyond: 0, usage: Subcommand.prune.usage)
    if line.has(.cache) { return try pruneCache(line) }
    let kept = line.count(.keepBatches)
    guard let age = line.duration(.olderThan) ?? kept.map({ _ in .zero }) else {
      throw UsageError.input(
        "prune needs an age or a count: raclette :prune --older-than 720h, or --keep 20")
    }
    let address = try line.serverAddress(for: "prune")
    let pruning = try Pruning(
      ServerQuestions(address), olderThan: age, keeping: kept ?? 0)
    Terminal.error("raclette: \(pruning.text)\n")
    return ExitStatus.success
  }
}

extension CommandLine {
  /// The number that is the only word, with or without its `#`.
  fileprivate func number(
    named name: String, for subcommand: Subcommand
  ) throws(UsageError) -> Int64 {
    try Self.number(in: try onlyWord(named: name, usage: subcommand.usage))
  }
}

extension Option {
  static let olderThan = Option(
    name: .olderThan, long: "older-than", value: "TIME", form: .duration,
    help: "remove what ended longer ago than TIME: 720h")
  static let keepBatches = Option(
    name: .keepBatches, long: "keep", value: "N", form: .count,
    help: "keep the latest N batches, regardless of age; on its own, remove all earlier ones")
}
