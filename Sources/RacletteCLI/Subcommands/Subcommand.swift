/// One of the runner's verbs.
struct Subcommand: Sendable {
  let name: String
  /// What follows the verb, as the usage line shows it.
  let arguments: String
  let summary: String
  let options: [Option]
  /// Whether the words after the first belong to a command or script rather than to the runner.
  let passesArguments: Bool
  let execute: @Sendable (CommandLine) throws -> Int32

  var usage: String {
    "raclette \(name)" + (options.isEmpty ? "" : " [OPTIONS]")
      + (arguments.isEmpty ? "" : " \(arguments)")
  }

  static let all: [Subcommand] = [.run, .exec, .list, .repl, .stubs, .help]
}

extension Option {
  static let file = Option(
    name: .file, long: "file", short: "f", value: "FILE",
    help: "the command file; else the nearest commands.lua upwards")
  static let directory = Option(
    name: .directory, long: "directory", short: "C", value: "DIR",
    help: "go there first")
  static let code = Option(
    name: .code, long: "eval", short: "e", value: "CODE", help: "execute CODE instead of a file")
  static let color = Option(
    name: .color, long: "color", value: "WHEN", choices: ["auto", "always", "never"],
    help: "auto, always or never; also NO_COLOR and FORCE_COLOR")
  static let quiet = Option(
    name: .quiet, long: "quiet", short: "q", help: "say nothing but errors")
  static let verbose = Option(
    name: .verbose, long: "verbose", short: "v", help: "say what starts and ends")
  static let json = Option(name: .json, long: "json", help: "print JSON for programs")
  static let help = Option(name: .help, long: "help", short: "h", help: "print this help")
  static let version = Option(
    name: .version, long: "version", short: "V", help: "print the version")

  /// Understood by every form.
  static let common: [Option] = [.directory, .color, .quiet, .verbose, .help]
}
