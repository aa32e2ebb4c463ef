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
    .run, .choose, .batch, .list, .show, .explain, .status, .check, .exec, .repl, .history, .replay,
    .retry, .timeline,
    .initialize, .doctor,
    .completions, .manual, .stubs, .help,
  ]

  /// Subcommands for programs.
  static let hidden: [Subcommand] = [.complete]
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

extension Option {
  static let file = Option(
    name: .file, long: "file", short: "f", value: "FILE", form: .file,
    help: "the command file; else the nearest commands.lua upwards")
  static let global = Option(
    name: .global, long: "global", short: "g",
    help: "use your own commands, those of ~/.config/raclette/commands.lua")
  static let directory = Option(
    name: .directory, long: "directory", short: "C", value: "DIR", form: .folder,
    help: "go there first")
  static let code = Option(
    name: .code, long: "eval", short: "e", value: "CODE", help: "execute CODE instead of a file")
  static let color = Option(
    name: .color, long: "color", value: "WHEN", form: .choices(["auto", "always", "never"]),
    help: "auto, always or never; also NO_COLOR and FORCE_COLOR")
  static let quiet = Option(
    name: .quiet, long: "quiet", short: "q", help: "say nothing but errors")
  static let verbose = Option(
    name: .verbose, long: "verbose", short: "v", help: "say what starts and ends")
  static let json = Option(name: .json, long: "json", help: "print JSON for programs")
  static let jobs = Option(
    name: .jobs, long: "jobs", short: "j", value: "N", form: .count,
    help: "execute at most N commands at a time")
  static let keepGoing = Option(
    name: .keepGoing, long: "keep-going", short: "k",
    help: "when a need fails, still execute the other needs")
  static let dryRun = Option(
    name: .dryRun, long: "dry-run", short: "n", help: "show what would be executed, in order")
  static let force = Option(
    name: .force, long: "force", help: "execute also what is up to date")
  static let timeout = Option(
    name: .timeout, long: "timeout", value: "TIME", form: .duration,
    help: "how long each execution may take: 30s, 500ms, 2m, 1h")
  static let conditionTimeout = Option(
    name: .conditionTimeout, long: "condition-timeout", value: "TIME", form: .duration,
    help: "how long a condition may take to send its first value")
  static let noDeps = Option(
    name: .noDeps, long: "no-deps", help: "leave out what the commands need")
  static let output = Option(
    name: .output, long: "output", short: "o", value: "MODE",
    form: .choices(OutputMode.allCases.map(\.rawValue)),
    help: "interleave, prefix, group, or quiet: only what fails")
  static let watch = Option(
    name: .watch, long: "watch", short: "w", value: "PATHS", form: .paths,
    help: "execute again when PATHS or globs change, or the command's files")
  static let interactive = Option(
    name: .interactive, long: "interactive", short: "i",
    help: "then go on line by line, with what is there")
  static let help = Option(name: .help, long: "help", short: "h", help: "print this help")
  static let version = Option(
    name: .version, long: "version", short: "V", help: "print the version")

  /// The options accepted before the subcommand: those of all subcommands.
  static let beforeVerb: [Option] =
    [.version, .code, .file, .global] + common + running + confinement

  /// The options of every subcommand.
  static let common: [Option] = [.directory, .color, .quiet, .verbose, .help]
}
