import CSignals
import Platform
import RunnerBatch
import RunnerCore
import Scripting

extension Subcommand {
  static let completions: Subcommand = Subcommand(
    name: "completions", underMake: .answered, arguments: ShellScripts.choice,
    summary: "Print a shell's completion script", options: [.trust], passesArguments: false,
    completion: .words(ShellScripts.names)
  ) { line in
    let usage = Subcommand.completions.usage
    let shell = try line.onlyWord(named: "the shell", usage: usage)
    guard let script = ShellScripts.script(for: shell, trusts: line.has(.trust)) else {
      throw UsageError.unknownShell(
        shell, known: ShellScripts.names, nearest: nearestName(to: shell, among: ShellScripts.names)
      )
    }
    try Terminal.output(script)
    return ExitStatus.success
  }

  /// The subcommand that the shells' scripts call; not for people.
  static let complete: Subcommand = Subcommand(
    name: "complete", underMake: .answered, arguments: "-- WORDS",
    summary: "Answer a shell's completion script",
    options: [.trust], passesArguments: true
  ) { line in
    giveUpInTime()
    let isTrusting = line.has(.trust)
    let completer = CommandLineCompleter(line.words) { words in
      commands(leadingTo: words, trusting: isTrusting)
    }
    // Output of the command file while it loads is not a completion.
    Terminal.reserveOutput()
    switch completer.answer {
    case .files: try Terminal.output(":files\n")
    case .folders: try Terminal.output(":folders\n")
    case .candidates(let candidates):
      try Terminal.output(
        candidates.filter { $0.word == $0.word.visible }.map { candidate in
          candidate.meaning.isEmpty
            ? "\(candidate.word)\n" : "\(candidate.word)\t\(firstLine(candidate.meaning))\n"
        }.joined())
    }
    return ExitStatus.success
  }

  /// Ends the program without a reply after one second, even if a command file blocks: the user has
  /// pressed Tab and waits.
  private static func giveUpInTime() {
    csignals_exit_after(1, ExitStatus.timeout)
  }

  /// The commands of the file that the words name, or of the nearest one, as far as it loads.
  private static func commands(leadingTo words: [String], trusting: Bool) -> [CommandShape] {
    var shapes: [CommandShape] = []
    guard let outer = try? CommandLine(words, known: Option.beforeVerb, stopsAtWord: true) else {
      return []
    }
    // Without a subcommand, the line is a call, or will be one.
    var inner = outer
    let verb = outer.words.first.map { Subcommand.ownName($0) ?? $0 }
    if let subcommand = Subcommand.all.first(where: { $0.name == verb }) {
      guard
        let own = try? CommandLine(
          Array(outer.words.dropFirst()), known: subcommand.options + Option.common,
          stopsAtWord: true)
      else { return [] }
      inner = own
    }
    let look = { (session: Session) in shapes = session.host.commands.map(CommandShape.init) }
    let rehearsal = trusting ? nil : "completion"
    _ = try? CommandFileSession(
      inner.under(outer), confirmation: Confirmations.refuse, rehearsal: rehearsal
    ).use(lookAtPart: look) {
      session, _ in
      look(session)
      return ExitStatus.success
    }
    return shapes
  }

  private static func firstLine(_ text: String) -> String {
    String(text.split(whereSeparator: \.isNewline).first ?? "").visibleInLine
  }
}
