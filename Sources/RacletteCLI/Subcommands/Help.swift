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
    try Terminal.output(HelpText.of(try find(name)))
    return ExitStatus.success
  }

  static func find(_ name: String) throws(UsageError) -> Subcommand {
    guard let subcommand = all.first(where: { $0.name == name }) else {
      throw .noSuchHelp(name, nearest: nearestName(to: name, among: all.map(\.name)))
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
      raclette list [OPTIONS]
      raclette exec [OPTIONS] SCRIPT.lua [ARGS]
      raclette SCRIPT.lua [ARGS]

    Subcommands:
    \(TextColumns.text(Subcommand.all.map { ($0.name, $0.summary) }))

    Options:
    \(TextColumns.text((Option.common + [.version]).map { ($0.signature, $0.help) }))

    'raclette help SUBCOMMAND' explains one; 'raclette run COMMAND --help' a command's parameters.

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
