import RunnerBatch
import RunnerCore

extension Subcommand {
  static let manual: Subcommand = Subcommand(
    name: "man", underMake: .answered, arguments: "",
    summary: "Print the manual page: raclette :man >raclette.1",
    options: [], passesArguments: false
  ) { line in
    if let surplus = line.words.first {
      throw UsageError.unexpectedArgument(surplus, usage: Subcommand.manual.usage)
    }
    try Terminal.output(ManualPage.text)
    return ExitStatus.success
  }
}

/// The manual page, generated from the same tables as the help.
enum ManualPage {
  static var text: String {
    """
    .TH RACLETTE 1 "" "Raclette \(Raclette.version)" "User Commands"
    .SH NAME
    raclette \\- run commands that are scripted in Lua
    .SH SYNOPSIS
    \(synopsis)
    .SH DESCRIPTION
    Raclette executes the commands that a
    .I commands.lua
    defines: the nearest one from the current folder upwards, or the one that
    .B \\-f
    names. Commands work in the folder of their file.
    .B run
    may be omitted; without a name, the default command is executed, or if there is none, the
    commands are listed.
    .PP
    A subcommand needs its colon only if the command file has a command of the same name, which
    takes precedence without the colon.
    .PP
    The values of a command go to standard output, strings as they are and tables as JSON, one per
    line. Messages of the runner go to standard error.
    .SH SUBCOMMANDS
    \(Subcommand.all.map(section(of:)).joined(separator: "\n"))
    .SH COMMON OPTIONS
    \((Option.common + [.list, .version]).map(item(of:)).joined(separator: "\n"))
    .SH ARGUMENTS OF COMMANDS
    .BR \\-\\-name " value, " \\-\\-name=value " and " name=value
    set a parameter, other words the parameters in order; a boolean one is set by
    .B \\-\\-name
    and
    .BR \\-\\-no\\-name .
    .BI \\-\\-input " JSON"
    gives the whole input. After
    .BR \\-\\- ,
    every word is positional. A parameter that takes the rest receives everything from the first
    word that no other parameter takes, options included.
    .B :::
    separates commands that run side by side.
    .SH EXIT STATUS
    \(statuses.map { ".TP\n.B \($0.0)\n\(escaped($0.1))" }.joined(separator: "\n"))
    .SH ENVIRONMENT
    \(variables.map { ".TP\n.B \($0.0)\n\(escaped($0.1))" }.joined(separator: "\n"))
    .SH SIGNALS
    The first SIGINT, SIGTERM or SIGHUP cancels all executions and waits for their clean\\-up; the
    second kills their process groups. What
    .BR timeout (1)
    sends within three seconds counts once. SIGTSTP stops the children too, SIGUSR1 tells what is running.

    """
  }

  private static var synopsis: String {
    let forms = Subcommand.all.map {
      ".B \($0.invocation)" + ($0.arguments.isEmpty ? "" : "\n\(escaped($0.arguments))")
    }
    let short = ["COMMAND [ARGS]", "SCRIPT.lua [ARGS]"].map { ".B raclette\n\($0)" }
    return (forms + short).joined(separator: "\n.br\n")
  }

  private static func section(of subcommand: Subcommand) -> String {
    let options = subcommand.options.map(item(of:)).joined(separator: "\n")
    return ".SS \(escaped("\(subcommand.invocation) \(subcommand.arguments)"))\n"
      + "\(escaped(subcommand.summary))." + (options.isEmpty ? "" : "\n\(options)")
  }

  private static func item(of option: Option) -> String {
    let names = (option.short.map { "-\($0), " } ?? "") + "--\(option.long)"
    let value = option.value.map { "\n.I \(escaped($0))" } ?? ""
    return
      ".TP\n.B \(escaped(names))\(value.isEmpty ? "" : "=\\c\(value)")\n\(escaped(option.help))"
  }

  private static let statuses = [
    ("0", "success"),
    (
      "1",
      "a command failed; if a single command was requested, the status of the process that failed"
    ),
    ("2", "wrong usage or invalid input"),
    ("3", "the command file is missing or does not load"), ("75", "the command is not enabled"),
    ("124", "a timeout"), ("130, 143, 129", "ended by SIGINT, SIGTERM, SIGHUP"),
  ]

  private static let variables = [
    ("RACLETTE_JOURNAL", "the journal, unless --journal names one"),
    ("NO_COLOR, FORCE_COLOR", "whether to use colours, unless --color is given"),
    ("GITHUB_ACTIONS", "if true, output is in groups and errors are annotations"),
    (
      "XDG_CONFIG_HOME",
      "where raclette/plugins and the commands of --global are (default: ~/.config)"
    ),
    ("XDG_STATE_HOME", "where the history of the REPL is (default: ~/.local/state)"),
    ("VISUAL, EDITOR", "the editor for entries of the REPL"),
  ]

  private static func escaped(_ text: String) -> String {
    let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }
}
