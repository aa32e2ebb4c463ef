import RunnerCore
import Scripting

/// A subcommand of the runner.
struct Subcommand: Sendable {
  let name: String
  /// The arguments in the usage line.
  let arguments: String
  let summary: String
  let options: [Option]
  /// True if the words after the first belong to a command or script instead of the runner.
  let passesArguments: Bool
  /// The kind of the arguments.
  let completion: ArgumentCompletion
  /// Checks the arguments, before any command file is loaded.
  let prepare: @Sendable (CommandLine) throws -> Work

  /// The work of a subcommand whose arguments have been checked.
  enum Work {
    /// It loads the command file as `run` does, and then works in the session.
    case session(CommandFileSession, (Session, String) throws -> Int32)
    /// It needs no commands, or loads files in its own way.
    case other(() throws -> Int32)
  }

  init(
    name: String, underMake: UnderMake, arguments: String, summary: String, options: [Option],
    passesArguments: Bool,
    completion: ArgumentCompletion = .nothing,
    preparing prepare: @escaping @Sendable (CommandLine) throws -> Work
  ) {
    self.name = name
    self.arguments = arguments
    self.summary = summary
    self.options = options
    self.passesArguments = passesArguments
    self.completion = completion
    switch underMake {
    case .answered: self.prepare = prepare
    case .leftOut:
      self.prepare = { line in
        try MakeMode.ofCaller.map { .leftOut(by: $0, line) } ?? prepare(line)
      }
    }
  }

  init(
    name: String, underMake: UnderMake, arguments: String, summary: String, options: [Option],
    passesArguments: Bool,
    completion: ArgumentCompletion = .nothing,
    execute: @escaping @Sendable (CommandLine) throws -> Int32
  ) {
    self.init(
      name: name, underMake: underMake, arguments: arguments, summary: summary, options: options,
      passesArguments: passesArguments, completion: completion,
      preparing: { line in .other { try execute(line) } })
  }

  func execute(_ line: CommandLine) throws -> Int32 { try prepare(line).execute() }

  /// The name as it always means the subcommand. Behind `run`, the name of a command does that too.
  var spelling: String { name == "run" ? name : ":\(name)" }

  /// The words that call it.
  var invocation: String { "raclette \(spelling)" }

  var usage: String {
    invocation + (options.isEmpty ? "" : " [OPTIONS]")
      + (arguments.isEmpty ? "" : " \(arguments)")
  }

  /// The subcommands, in the order of the help.
  static let all: [Subcommand] = [
    .run, .choose, .batch, .panel, .mcp, .list, .show, .explain, .audit, .status, .check, .exec,
    .repl,
    .history,
    .replay, .retry, .timeline, .up, .down, .restart, .ps, .logs, .jobs, .attach, .input, .cancel,
    .prune, .cache,
    .worker, .journal,
    .initialize, .doctor,
    .completions, .manual, .stubs, .help,
  ]

  /// The subcommand with a name. What is often started does not make the list of all first.
  static func named(_ name: String) -> Subcommand? {
    switch name {
    case "exec": .exec
    case "repl": .repl
    case "run": .run
    case "list": .list
    default: (all + hidden).first { $0.name == name }
    }
  }

  /// Subcommands for programs.
  static let hidden: [Subcommand] = [.complete, .executor, .batchWorker, .hub, .audited]
}

extension Subcommand {
  /// Parses what follows the name of the subcommand.
  func line(behindNameIn outer: CommandLine) throws(UsageError) -> CommandLine {
    try CommandLine(
      Array(outer.words.dropFirst()), known: options + Option.common,
      stopsAtWord: passesArguments)
  }

  /// Checks the options before and behind the name, and the arguments.
  func prepare(_ inner: CommandLine, _ outer: CommandLine) throws -> Work {
    if inner.has(.help) || outer.has(.help) {
      return .other {
        try Terminal.output(HelpText.of(self))
        return ExitStatus.success
      }
    }
    try outer.check(against: self)
    return try prepare(inner.under(outer))
  }
}

extension Subcommand.Work {
  func execute() throws -> Int32 {
    switch self {
    case .session(let commandFile, let body): try commandFile.use(body)
    case .other(let body): try body()
    }
  }
}

/// The kind of a subcommand's arguments, for shell completion.
enum ArgumentCompletion: Equatable, Sendable {
  case nothing, files, subcommands
  case words([String])
  /// The name of a command.
  case command
  /// Names of services.
  case services
  /// Calls of commands.
  case calls
}

extension CallReader {
  /// A reader of the words behind `raclette run` and its like.
  ///
  /// - Parameters:
  ///   - asks: true to prompt for missing values, if there is a terminal.
  ///   - otherNames: names that may have been meant instead of a command's.
  init(_ host: ScriptHost, file: String, asks: Bool, otherNames: [String] = []) {
    self.init(
      host, file: file, asks: asks, ownOptions: Subcommand.run.options + Option.common,
      otherNames: otherNames)
  }
}

extension CommandLine {
  /// True if a subcommand accepts the options that precede it.
  func fits(_ subcommand: Subcommand) -> Bool { (try? check(against: subcommand)) != nil }

  /// Checks that a subcommand accepts the options that precede it.
  func check(against subcommand: Subcommand) throws(UsageError) {
    if options.isEmpty { return }
    let known = (subcommand.options + Option.common).map(\.name)
    for option in Option.beforeVerb where has(option.name) && !known.contains(option.name) {
      throw .foreignOption("--\(option.long)", subcommand: subcommand.name)
    }
  }
}

extension Option {
  /// The options accepted before the subcommand: those of all subcommands.
  static let beforeVerb: [Option] =
    [.version, .list, .code, .file, .adopt, .global, .choose, .interactive] + common + running
    + confinement
}
