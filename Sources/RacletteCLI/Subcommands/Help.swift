import RunnerBatch
import RunnerCore
import Scripting

extension Subcommand {
  static let help: Subcommand = Subcommand(
    name: "help", underMake: .answered, arguments: "[COMMAND|SUBCOMMAND|TOPIC]",
    summary: "Explain the runner, a command of the file, a subcommand, or a topic",
    options: [.file, .adopt, .global, .trust], passesArguments: false, completion: .subcommands
  ) { line in
    guard let name = line.words.first else {
      try Terminal.output(HelpText.overview)
      return ExitStatus.success
    }
    try line.refuseWords(beyond: 1, usage: Subcommand.help.usage)
    if let own = ownName(name) {
      try Terminal.output(try ownText(about: own) ?? HelpText.of(find(own)))
      return ExitStatus.success
    }
    let ownText = ownText(about: name)
    var names = all.map(\.name) + HelpTopic.all.map(\.name)
    var file: String?
    if line.namesCommandFile || CommandFile.isAbove(line[.directory]) {
      var text: String?
      file = try line.commandFile()
      let look = { (session: Session) in
        text = session.host.command(named: name)?.helpText
        names += session.host.commands.flatMap { [$0.name] + $0.aliases }
      }
      let commandFile = CommandFileSession(
        line, confirmation: Confirmations.refuse, rehearsal: "help",
        timeLimit: CommandFileSession.lookingTime)
      do {
        let status = try commandFile.use(lookAtPart: look) { session, _ in
          look(session)
          return ExitStatus.success
        }
        guard status == ExitStatus.success else { return status }
      } catch let error as CommandFileError where ownText == nil && text == nil {
        throw error
      } catch is CommandFileError {}
      if let text {
        try Terminal.output(text)
        return ExitStatus.success
      }
    }
    guard let ownText else {
      let nearest = nearestName(to: name, among: names)
      throw file.map { .unknownCommand(name, file: $0, meant: nearest.map(CommandMeant.name)) }
        ?? UsageError.noSuchHelp(name, nearest: nearest)
    }
    try Terminal.output(ownText)
    return ExitStatus.success
  }

  /// The text about a subcommand or a topic; nil for other names.
  private static func ownText(about name: String) -> String? {
    named(name).map(HelpText.of) ?? HelpTopic.text(about: name)
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
    \(TextColumns.text((Option.common + [.list, .version]).map { ($0.signature, $0.help) }))

    A subcommand needs its colon only where the command file has a command of the same name.
    'raclette :help NAME' explains a subcommand, a command of the file, a function of Lua such as
    rac.exec, a key of a definition such as when_busy, or a topic:
    \(TextColumns.text(HelpTopic.all.map { ($0.name, $0.summary) }))

    """
  }

  /// The answer where there is no command file.
  static var withoutCommandFile: String {
    let found = CommandFile.nearestAdoptable()
    return """
      There is no \(CommandFile.name) here or in a folder above\(found.map { ", but \($0)" } ?? "")\(CommandFile.hintAtMisnamed). Usage:
      \(found == nil ? "" : "  raclette --adopt [NAME]   list its recipes, or execute one\n")\
        raclette init             write a first \(CommandFile.name) here
        raclette COMMAND [ARGS]   execute a command of that file
        raclette SCRIPT.lua       execute a Lua script
        raclette --help           list the subcommands and options

      """
  }

  static func of(_ subcommand: Subcommand) -> String {
    """
    \(subcommand.summary).

    Usage: \(subcommand.usage)

    Options:
    \(TextColumns.text((subcommand.options + Option.common).map { ($0.signature, $0.help) }))

    """ + (HelpTopic.all.first { $0.subcommand == subcommand.name }?.hint ?? "")
  }
}
