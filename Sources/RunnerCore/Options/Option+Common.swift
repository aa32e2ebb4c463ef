extension Option {
  package static let file = Option(
    name: .file, long: "file", short: "f", value: "FILE", form: .file,
    help: "the command file; else the nearest commands.lua upwards")
  package static let global = Option(
    name: .global, long: "global", short: "g",
    help: "use your own commands, those of ~/.config/raclette/commands.lua")
  package static let directory = Option(
    name: .directory, long: "directory", short: "C", value: "DIR", form: .folder,
    help: "go there first")
  package static let envFile = Option(
    name: .envFile, long: "env-file", value: "FILE", form: .file,
    help: "set the variables of FILE that are not set; may be repeated")
  package static let code = Option(
    name: .code, long: "eval", short: "e", value: "CODE", help: "execute CODE instead of a file")
  package static let color = Option(
    name: .color, long: "color", value: "WHEN", form: .choices(["auto", "always", "never"]),
    help: "auto, always or never; also NO_COLOR and FORCE_COLOR")
  package static let quiet = Option(
    name: .quiet, long: "quiet", short: "q", help: "say nothing but errors")
  package static let verbose = Option(
    name: .verbose, long: "verbose", short: "v", help: "say what starts and ends")
  package static let json = Option(name: .json, long: "json", help: "print JSON for programs")
  package static let jobs = Option(
    name: .jobs, long: "jobs", short: "j", value: "N", form: .count,
    help: "execute at most N commands at a time")
  package static let keepGoing = Option(
    name: .keepGoing, long: "keep-going", short: "k",
    help: "go on with other needs, and with a sequence, after a failure")
  package static let dryRun = Option(
    name: .dryRun, long: "dry-run", short: "n", help: "show what would be executed, in order")
  package static let force = Option(
    name: .force, long: "force", help: "execute also what is up to date")
  package static let timeout = Option(
    name: .timeout, long: "timeout", value: "TIME", form: .duration,
    help: "how long each execution may take: 30s, 500ms, 2m, 1h")
  package static let conditionTimeout = Option(
    name: .conditionTimeout, long: "condition-timeout", value: "TIME", form: .duration,
    help: "how long a condition may take to send its first value")
  package static let noDeps = Option(
    name: .noDeps, long: "no-deps", help: "leave out what the commands need")
  package static let output = Option(
    name: .output, long: "output", short: "o", value: "MODE",
    form: .choices(OutputMode.allCases.map(\.rawValue)),
    help: "interleave, prefix, group, or quiet: only what fails")
  package static let watch = Option(
    name: .watch, long: "watch", short: "w", value: "PATHS", form: .paths,
    help: "execute again when PATHS or globs change, or the command's files")
  package static let interactive = Option(
    name: .interactive, long: "interactive", short: "i",
    help: "then go on line by line, with what is there")
  package static let help = Option(name: .help, long: "help", short: "h", help: "print this help")
  package static let list = Option(
    name: .list, long: "list", short: "l", help: "list the commands")
  package static let version = Option(
    name: .version, long: "version", short: "V", help: "print the version")

  /// The options of every subcommand.
  package static let common: [Option] = [.directory, .envFile, .color, .quiet, .verbose, .help]
  package static let journal = Option(
    name: .journal, long: "journal", value: "FILE|URL", form: .file,
    help: "the record: a file or postgresql://HOST/NAME; also RACLETTE_JOURNAL")
  /// The place in a trace that the entries of a batch have; submitters set it for executors.
  package static let traceParent = Option(
    name: .traceParent, long: "traceparent", value: "TEXT", help: "the span that entries belong to")
  package static let agent = Option(
    name: .agent, long: "agent",
    help: "at most 60 lines at the end, failures first; also RACLETTE_AGENT=1")
  package static let otlp = Option(
    name: .otlp, long: "otlp", value: "URL",
    help: "send a trace to the collector at URL: http://127.0.0.1:4318")
}

extension CommandLine {
  /// True if a program reads the output that pays for each line, such as an agent.
  package var isForAgents: Bool {
    !has(.json) && (has(.agent) || environment("RACLETTE_AGENT") == "1")
  }

  /// The value of `--color`; agents get none.
  package var color: String? { isForAgents ? "never" : self[.color] }
}
