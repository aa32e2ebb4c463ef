import RunnerBatch
import RunnerCore
import Scripting

extension Subcommand {
  static let help: Subcommand = Subcommand(
    name: "help", arguments: "[SUBCOMMAND]", summary: "Explain the runner or one of its verbs",
    options: [], passesArguments: false, completion: .subcommands
  ) { line in
    guard let name = line.words.first else {
      try Terminal.output(HelpText.overview)
      return ExitStatus.success
    }
    if line.words.count > 1 {
      throw UsageError.unexpectedArgument(line.words[1], usage: Subcommand.help.usage)
    }
    guard let subcommand = named(ownName(name) ?? name) else {
      throw UsageError.noSuchHelp(name, nearest: nearestName(to: name, among: all.map(\.name)))
    }
    try Terminal.output(HelpText.of(subcommand))
    return ExitStatus.success
  }

  /// The subcommand that a word with a colon before it names: `check` for `:check`; nil for other
  /// words, such as the `:::` between calls.
  static func ownName(_ word: String) -> String? {
    guard word.utf8.first == UInt8(ascii: ":") else { return nil }
    let name = word.dropFirst()
    return name.isEmpty || name.first == ":" ? nil : String(name)
  }

  /// Returns the subcommand with a name.
  static func find(_ name: String) throws(UsageError) -> Subcommand {
    guard let subcommand = named(name) else {
      throw .noSuchSubcommand(
        name, nearest: nearestName(to: name, among: all.map(\.name)).map { ":\($0)" })
    }
    return subcommand
  }
}

/// The texts of `--help`.
enum HelpText {
  static var overview: String {
    """
    Raclette \(Raclette.version): runs commands that are scripted in Lua.

    Usage:
      raclette [run] [OPTIONS] COMMAND [ARGS] [::: COMMAND [ARGS]]...
      raclette SCRIPT.lua [ARGS]
      raclette :SUBCOMMAND [OPTIONS]

    Subcommands:
    \(TextColumns.text(Subcommand.all.map { ($0.name, $0.summary) }))

    Options:
    \(TextColumns.text((Option.common + [.version]).map { ($0.signature, $0.help) }))

    A subcommand needs its colon only where the command file has a command of the same name.
    'raclette :help SUBCOMMAND' explains one, 'raclette :help COMMAND' a command of the file.

    """
  }

  static func of(_ subcommand: Subcommand) -> String {
    """
    \(subcommand.summary).

    Usage: \(subcommand.usage)

    Options:
    \(TextColumns.text((subcommand.options + Option.common).map { ($0.signature, $0.help) }))

    """
  }
}
