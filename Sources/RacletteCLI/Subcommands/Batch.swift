import Journal
import LuaRuntime
import Platform
import Scripting

extension Subcommand {
  static let batch: Subcommand = Subcommand(
    name: "batch", arguments: "PLAN...",
    summary: "Execute plans: JSONL files, - for standard input, Lua scripts",
    options: [.file, .global] + Option.batch, passesArguments: false, completion: .files
  ) { line in
    guard !line.words.isEmpty else {
      throw UsageError.missingArgument("PLAN", usage: Subcommand.batch.usage)
    }
    if line.has(.leftover), !line.has(.resume) {
      throw UsageError.input(
        "--leftover needs --resume: nothing else looks for what is left running")
    }
    try line.enterDirectory()
    for plan in line.words { try check(plan) }
    let journal = try JournalPath.forBatch(line).map { path throws(JournalError) in
      try Journal(path, isCreated: true)
    }
    let session = try BatchSession(
      line, plans: line.words, journal: journal, isRepeating: line.has(.resume))
    let needsCommands = !line.words.allSatisfy { $0.hasSuffix(".lua") }
    return try session.execute(needsCommands: needsCommands) { digests in
      PlanReader(line.words, digests)
    }
  }

  /// Checks that a plan can be read, before anything is executed.
  private static func check(_ plan: String) throws(UsageError) {
    if plan == "-" { return }
    var information = stat()
    var code: Int32 = 0
    if stat(plan, &information) != 0 || access(plan, R_OK) != 0 {
      code = errno
    } else if information.st_mode & S_IFMT == S_IFDIR {
      code = EISDIR
    }
    if code != 0 { throw .input("cannot read the plan '\(plan)': \(systemErrorText(code))") }
  }
}

extension Option {
  static let batch: [Option] =
    [
      .jobs, .keepGoingPlan, .failFast, .force, .timeout, .retries, .enabledTimeout, .output, .json,
      .yes,
      .progress, .journal, .resume, .leftover, .summary, .junit,
    ] + confinement

  static let keepGoingPlan = Option(
    name: .keepGoing, long: "keep-going", short: "k",
    help: "go on after a failure of a batch, as is the default")
  static let failFast = Option(
    name: .failFast, long: "fail-fast", help: "stop after the first failure of a batch")
  static let retries = Option(
    name: .retries, long: "retries", value: "N", form: .number,
    help: "try what fails up to N more times")
  static let enabledTimeout = Option(
    name: .enabledTimeout, long: "enabled-timeout", value: "TIME", form: .duration,
    help: "how long a command that is not enabled is waited for; else 1m")
  static let progress = Option(
    name: .progress, long: "progress", value: "WHEN", form: .choices(["auto", "always", "never"]),
    help: "a bar on a terminal, else a line now and then: auto, always or never")
  static let journal = Option(
    name: .journal, long: "journal", value: "FILE", form: .file,
    help: "the record of executions; also RACLETTE_JOURNAL")
  static let resume = Option(
    name: .resume, long: "resume", help: "execute only what has not completed by the journal")
  static let leftover = Option(
    name: .leftover, long: "leftover", value: "WHAT",
    form: .choices(Leftovers.Treatment.allCases.map(\.rawValue)),
    help: "what --resume does with processes that a killed batch left running: end or wait")
  static let summary = Option(
    name: .summary, long: "summary", value: "FILE", form: .file,
    help: "write what the batch came to, as JSON")
  static let junit = Option(
    name: .junit, long: "junit", value: "FILE", form: .file,
    help: "write the entries as test results that CI systems read")
}
