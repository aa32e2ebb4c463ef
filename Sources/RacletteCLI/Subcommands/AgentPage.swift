import Platform
import RunnerBatch
import RunnerCore
import Scripting

extension Option {
  static let agentPage = Option(
    name: .agentPage, long: "agent",
    help: "write into AGENTS.md how an agent uses the commands that there are")
}

/// The part of a project's page for agents that tells them how to use its commands.
struct AgentPage {
  private let commands: [ScriptCommand]
  private let file: String

  static let path = "AGENTS.md"
  /// The most lines of the part.
  private static let mostLines = 60
  private static let begin = "<!-- Begin of what 'raclette init --agent' writes. -->"
  private static let end = "<!-- End of what 'raclette init --agent' writes. -->"

  /// `init --agent`: writes the page beside the command file.
  static func write(_ line: CommandLine) throws -> Int32 {
    try line.enterDirectory()
    if let folder = line.words.first { try CommandFile.enter(folder) }
    let commandFile = CommandFileSession(
      line, confirmation: Confirmations.refuse, timeLimit: CommandFileSession.lookingTime)
    return try commandFile.use { session, file in
      session.host.leavesLazyValues = true
      let commands = session.host.commands.filter { !$0.isPrivate }
      let page = AgentPage(commands: commands, file: CommandFile.split(file).name)
      session.report.say(try page.write())
      return ExitStatus.success
    }
  }

  /// Replaces the part in the file, or adds it.
  ///
  /// - Returns: what was done.
  private func write() throws -> String {
    let old = fileContent(Self.path).map { String(exactly: $0) }
    if old == nil, errno != ENOENT { throw UnwritableFile(path: Self.path, code: errno) }
    let new = Self.text(old ?? "", with: text)
    if old == new { return "\(Self.path) has the commands that there are" }
    // Where a link leads to.
    let path = resolvedPath(Self.path) ?? Self.path
    let name = try writeBeside(path, new)
    guard rename(name, path) == 0 else {
      let code = errno
      unlink(name)
      throw UnwritableFile(path: Self.path, code: code)
    }
    return old == nil ? "wrote \(Self.path)" : "wrote the commands into \(Self.path)"
  }

  /// A text with the part in place of an earlier one, or behind it.
  private static func text(_ old: String, with part: String) -> String {
    guard let start = old.ranges(of: begin).first,
      let stop = old[start.upperBound...].ranges(of: end + "\n").first
    else { return old + (old.isEmpty || old.hasSuffix("\n\n") ? "" : "\n") + part }
    return old[..<start.lowerBound] + part + old[stop.upperBound...]
  }

  /// The part, with its marks.
  private var text: String {
    let head = """
      \(Self.begin)
      # Commands

      The work of this project is done by the commands of `\(file)`, with `raclette`. Use them instead \
      of the tools that they call: they first execute what they need, skip what is up to date, \
      and end with all of their processes.

      | To | Call |
      |---|---|
      | execute one | `raclette --agent NAME [--PARAMETER VALUE]…`: at most 60 lines at the end, failures first; `raclette :replay N` shows the rest of number N |
      | see what there is now | `raclette :list`; `raclette help NAME` shows the parameters of one |
      | see what would happen | `raclette --dry-run NAME` |
      | start something that takes long | `raclette run -d NAME` prints a number and exits; `raclette :attach N` follows it to its end, `raclette :cancel N` ends it, `raclette :ps` lists what runs |

      Never start a command with `&` or end one with `kill`. The exit status is that of the command; \
      \(ExitStatus.usage) is wrong usage, \(ExitStatus.commandFileError) a command file that does not \
      load, 75 a command that is not enabled (the message says why), \(ExitStatus.timeout) a \
      timeout. `raclette mcp` offers the same through the Model Context Protocol.

      """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var lines = head
    let asking = commands.filter(\.mayAsk).map { "`\($0.name)`" }
    if !asking.isEmpty {
      lines += [
        "Ask the user before calling these, then call them with `--yes`: \(Self.short(asking)).",
        "",
      ]
    }
    let services = commands.filter(\.isService).map { "`\($0.name)`" }
    if !services.isEmpty {
      lines += [
        "These are services, which commands that need them start and share: "
          + "\(Self.short(services)). `raclette :up -d NAME` brings one up, `raclette :logs NAME` "
          + "shows what it prints, `raclette :down` ends them.", "",
      ]
    }
    let room = Self.mostLines - lines.count - 1
    let shown = commands.count > room ? commands.prefix(room - 1) : commands[...]
    lines += shown.map(Self.line)
    if shown.count < commands.count {
      lines.append("- … and \(commands.count - shown.count) more: `raclette :list`")
    }
    if commands.isEmpty { lines.append("There are no commands yet.") }
    return (lines + [Self.end]).map { $0 + "\n" }.joined()
  }

  private static func line(_ command: ScriptCommand) -> String {
    let signature = command.signature.visibleInLine.replacing("`", with: "'")
    let summary = command.summary.map { ": \($0.visibleInLine)" } ?? ""
    return Secrets.masked("- `\(signature)`\(summary)")
  }

  /// A list of names that is not too long.
  private static func short(_ names: [String]) -> String {
    let most = 12
    return names.prefix(most).joined(separator: ", ")
      + (names.count > most ? " and \(names.count - most) more" : "")
  }
}
