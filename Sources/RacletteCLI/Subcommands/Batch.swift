import Journal
import LuaRuntime
import Platform
import RunnerBatch
import RunnerCluster
import RunnerCore
import Scripting

extension Subcommand {
  static let batch: Subcommand = Subcommand(
    name: "batch", underMake: .leftOut, arguments: "PLAN...",
    summary: "Execute plans: JSONL files, - for standard input, Lua scripts",
    options: [.file, .global] + Option.batch + Option.submission, passesArguments: false,
    completion: .files
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
    if let url = JournalPath.server(line) {
      return try ServerBatch(line, ServerAddress(url), plans: line.words).execute()
    }
    for option in Option.submission where line.has(option.name) {
      throw UsageError.input(
        "--\(option.long) needs a journal on a server: --journal postgresql://HOST/DATABASE")
    }
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
