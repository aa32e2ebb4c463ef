import Scripting

/// The program.
public enum Raclette {
  /// The version, as `--version` prints it.
  public static let version = ScriptHost.version

  /// Does what the arguments say.
  ///
  /// - Parameter arguments: the words after the program's name.
  /// - Returns: the exit status.
  public static func main(_ arguments: [String]) -> Int32 {
    var style = Style(option: nil)
    do {
      let line = try CommandLine(
        arguments, known: Option.common + [.version, .code], stopsAtWord: true)
      style = Style(option: line[.color])
      return try run(line)
    } catch let error as Unloadable {
      Terminal.error("raclette: \(style.error("error")): \(error.message)\n")
      return ExitStatus.unloadable
    } catch {
      Terminal.error("raclette: \(style.error("error")): \(error)\n")
      return ExitStatus.usage
    }
  }

  private static func run(_ line: CommandLine) throws -> Int32 {
    if line.has(.version) {
      Terminal.output("raclette \(version)\n")
      return ExitStatus.success
    }
    if line.has(.code) { return try Subcommand.exec.execute(line) }
    guard let verb = line.words.first else {
      if line.has(.help) {
        Terminal.output(HelpText.overview)
        return ExitStatus.success
      }
      Terminal.error(HelpText.overview)
      return ExitStatus.usage
    }
    let rest = Array(line.words.dropFirst())
    if let subcommand = Subcommand.all.first(where: { $0.name == verb }) {
      return try run(subcommand, rest, line)
    }
    guard isScript(verb) else {
      throw UsageError.unknownSubcommand(
        verb, nearest: nearestName(to: verb, among: Subcommand.all.map(\.name)))
    }
    return try Subcommand.exec.execute(line)
  }

  private static func run(
    _ subcommand: Subcommand, _ arguments: [String], _ outer: CommandLine
  ) throws -> Int32 {
    let inner = try CommandLine(
      arguments, known: subcommand.options + Option.common,
      stopsAtWord: subcommand.passesArguments)
    if inner.has(.help) || outer.has(.help) {
      Terminal.output(HelpText.of(subcommand))
      return ExitStatus.success
    }
    return try subcommand.execute(inner.under(outer))
  }

  /// A word that names a script rather than a verb: a Lua file, a path, or standard input.
  private static func isScript(_ word: String) -> Bool {
    word == "-" || word.hasSuffix(".lua") || word.contains("/")
  }
}

/// A command file that is missing or does not load.
struct Unloadable: Error {
  let message: String
}
