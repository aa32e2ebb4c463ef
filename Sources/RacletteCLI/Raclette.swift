import EventLoop
import Platform
import RunnerCore
import Scripting

/// The entry point of the program.
public enum Raclette {
  /// The version in the output of `--version`.
  public static let version = ScriptHost.version
  /// The commit of the build; empty if it is not known. Set before anything else.
  nonisolated(unsafe) private(set) static var commit = ""

  /// Executes the arguments.
  ///
  /// - Parameters:
  ///   - arguments: the words after the program's name.
  ///   - commit: the commit of the build, for `--verbose --version`; empty if it is not known.
  /// - Returns: the exit status.
  public static func main(_ arguments: [String], commit: String = "") -> Int32 {
    StandardStreams.occupy()
    Terminal.prepare()
    OpenFiles.raiseLimit()
    // A write beyond the limit of a file's size then fails, and is told as that of a full disk is.
    signal(SIGXFSZ, SIG_IGN)
    Self.commit = commit
    // Read before an option changes the folder.
    _ = InvocationFolder.path
    let arguments = InterpreterLine.separated(arguments)
    var color: String?
    let say = { (message: String) in
      let style = Style(option: color, descriptor: STDERR_FILENO)
      Terminal.error(
        "raclette: \(style.error("error")): \(Secrets.masked(message).visibleInMessage)\n")
    }
    do {
      let line = try CommandLine(
        arguments, known: Option.beforeVerb, stopsAtWord: true)
      color = line[.color]
      return try run(line)
    } catch let error as CommandFileError {
      say(error.message)
      return ExitStatus.commandFileError
    } catch let error as OutputError {
      if error.code == EPIPE { return ExitStatus.ended(by: SIGPIPE) }
      say(error.description)
      return ExitStatus.failure
    } catch let error as HubError {
      say(error.description)
      return error.exitStatus
    } catch let error as UsageError {
      say(error.description)
      return ExitStatus.usage
    } catch {
      say("\(error)")
      return ExitStatus.failure
    }
  }

  private static func run(_ line: CommandLine) throws -> Int32 {
    if line.has(.version) {
      try Terminal.output("raclette \(version)\n")
      if line.has(.verbose) {
        try Terminal.output("commit \(commit.isEmpty ? "unknown" : commit)\n")
      }
      return ExitStatus.success
    }
    if line.has(.code) { return try Subcommand.exec.execute(line) }
    if line.has(.list), !line.has(.help) {
      let line = line.without(.list)
      try line.check(against: .list)
      return try Subcommand.list.execute(line)
    }
    guard let verb = line.words.first else {
      if line.has(.help) {
        try Terminal.output(HelpText.overview)
        return ExitStatus.success
      }
      guard hasCommandFile(line) else {
        Terminal.error(HelpText.withoutCommandFile)
        return ExitStatus.commandFileError
      }
      return try Subcommand.run(line, form: .bare)
    }
    if let name = Subcommand.ownName(verb) {
      let subcommand = try Subcommand.find(name)
      return try subcommand.prepare(try subcommand.line(behindNameIn: line), line).execute()
    }
    if let subcommand = Subcommand.named(verb) {
      return try SharedName(subcommand, line).execute()
    }
    if isScript(verb) { return try Subcommand.exec.execute(line) }
    guard hasCommandFile(line) else {
      throw UsageError.unknownSubcommand(
        verb, nearest: nearestName(to: verb, among: Subcommand.all.map(\.name)))
    }
    // The options before the name are the runner's, what follows it is the command's.
    if line.has(.help) {
      try Terminal.output(HelpText.of(.run))
      return ExitStatus.success
    }
    try line.check(against: .run)
    return try Subcommand.run(line, form: .short)
  }

  /// True if there is a command file in which a name can be looked for.
  private static func hasCommandFile(_ line: CommandLine) -> Bool {
    line.namesCommandFile || CommandFile.isAbove(line[.directory])
  }

  /// True if a word names a script instead of a subcommand: a Lua file, a path, or standard input.
  private static func isScript(_ word: String) -> Bool {
    word == "-" || word.hasSuffix(".lua") || word.contains("/")
  }
}
