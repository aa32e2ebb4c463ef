import Scripting
import RunnerCore

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
  var completion = ArgumentCompletion.nothing
  let execute: @Sendable (CommandLine) throws -> Int32

  var usage: String {
    "raclette \(name)" + (options.isEmpty ? "" : " [OPTIONS]")
      + (arguments.isEmpty ? "" : " \(arguments)")
  }

  /// The subcommands, in the order of the help.
  static let all: [Subcommand] = [
    .run, .choose, .batch, .panel, .list, .show, .explain, .status, .check, .exec, .repl, .history,
    .replay, .retry, .timeline, .jobs, .attach, .cancel, .prune, .worker, .journal,
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
  static let hidden: [Subcommand] = [.complete, .executor, .batchWorker]
}

/// The kind of a subcommand's arguments, for shell completion.
enum ArgumentCompletion: Equatable, Sendable {
  case nothing, files, subcommands
  case words([String])
  /// The name of a command.
  case command
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
    [.version, .code, .file, .global] + common + running + confinement
}
