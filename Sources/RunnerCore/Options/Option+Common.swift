extension Option {
  package static let file = Option(
    name: .file, long: "file", short: "f", value: "FILE", form: .file,
    help: "the command file (default: the nearest commands.lua upwards)")
  package static let global = Option(
    name: .global, long: "global", short: "g",
    help: "use your own commands, from ~/.config/raclette/commands.lua")
  package static let adopt = Option(
    name: .adopt, long: "adopt",
    help: "use the recipes of the nearest justfile, Makefile, package.json, …")
  package static let directory = Option(
    name: .directory, long: "directory", short: "C", value: "DIR", form: .folder,
    help: "change to DIR before anything else")
  package static let envFile = Option(
    name: .envFile, long: "env-file", value: "FILE", form: .file,
    help: "set variables from FILE unless they are set; repeatable")
  package static let code = Option(
    name: .code, long: "eval", short: "e", value: "CODE", help: "execute CODE instead of a file")
  package static let color = Option(
    name: .color, long: "color", value: "WHEN", form: .choices(["auto", "always", "never"]),
    help: "use colours: auto, always or never (env: NO_COLOR, FORCE_COLOR)")
  package static let quiet = Option(
    name: .quiet, long: "quiet", short: "q", help: "print errors only")
  package static let verbose = Option(
    name: .verbose, long: "verbose", short: "v", help: "print what starts and ends")
  package static let json = Option(name: .json, long: "json", help: "print JSON")
  package static let jobs = Option(
    name: .jobs, long: "jobs", short: "j", value: "N", form: .count,
    help: "run at most N jobs at a time, nested tools included")
  package static let resource = Option(
    name: .resource, long: "resource", value: "NAME=N",
    help: "offer a resource that commands use, such as gpu=2 or memory=12G")
  package static let keepGoing = Option(
    name: .keepGoing, long: "keep-going", short: "k",
    help: "keep going with other needs and later commands after a failure")
  package static let dryRun = Option(
    name: .dryRun, long: "dry-run", short: "n", help: "print what would be executed, in order")
  package static let force = Option(
    name: .force, long: "force", help: "execute commands even if they are up to date")
  package static let timeout = Option(
    name: .timeout, long: "timeout", value: "TIME", form: .duration,
    help: "limit each execution to TIME: 30s, 500ms, 2m, 1h")
  package static let conditionTimeout = Option(
    name: .conditionTimeout, long: "condition-timeout", value: "TIME", form: .duration,
    help: "wait up to TIME for the first value of a condition")
  package static let noDeps = Option(
    name: .noDeps, long: "no-deps", help: "skip the needs of the commands")
  package static let output = Option(
    name: .output, long: "output", short: "o", value: "MODE",
    form: .choices(OutputMode.allCases.map(\.rawValue)),
    help: "interleave, prefix, group, or quiet (only failures)")
  package static let watch = Option(
    name: .watch, long: "watch", short: "w", value: "PATHS", form: .paths,
    help: "execute again, or restart services, when PATHS or their files change")
  package static let interactive = Option(
    name: .interactive, long: "interactive", short: "i",
    help: "then open the REPL in the same session")
  package static let help = Option(name: .help, long: "help", short: "h", help: "print this help")
  package static let list = Option(
    name: .list, long: "list", short: "l", help: "list the commands")
  package static let version = Option(
    name: .version, long: "version", short: "V", help: "print the version")

  /// The options of every subcommand.
  package static let common: [Option] = [.directory, .envFile, .color, .quiet, .verbose, .help]
  package static let journal = Option(
    name: .journal, long: "journal", value: "FILE|URL", form: .file,
    help: "the journal: a file or postgresql://HOST/NAME")
  /// The place in a trace that the entries of a batch have; submitters set it for executors.
  package static let traceParent = Option(
    name: .traceParent, long: "traceparent", value: "TEXT", help: "the span that entries belong to")
  package static let agent = Option(
    name: .agent, long: "agent",
    help: "print at most 60 lines, failures first (env: RACLETTE_AGENT=1)")
  package static let otlp = Option(
    name: .otlp, long: "otlp", value: "URL",
    help: "send a trace to the collector at URL, such as http://127.0.0.1:4318")
}

extension CommandLine {
  /// True if a program reads the output that pays for each line, such as an agent.
  package var isForAgents: Bool {
    !has(.json) && (has(.agent) || environment("RACLETTE_AGENT") == "1")
  }

  /// The value of `--color`; agents get none.
  package var color: String? { isForAgents ? "never" : self[.color] }
}
