import LuaRuntime
import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads the words of calls: which command, and with what input.
struct CallReader {
  private let host: ScriptHost
  private let file: String
  /// Whether what is missing may be asked for.
  private let asks: Bool

  /// - Parameter asks: whether what is missing is asked for, if there is somebody to answer.
  init(_ host: ScriptHost, file: String, asks: Bool) {
    self.host = host
    self.file = file
    self.asks = asks && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
  }

  /// The command whose help is wanted instead of its execution.
  func helpWanted(in calls: [ArraySlice<String>]) throws -> ScriptCommand? {
    for call in calls {
      let words = call.dropFirst()
      guard words.prefix(while: { $0 != "--" }).contains("--help") || words.first == "-h" else {
        continue
      }
      return try command(named: call.first ?? "")
    }
    return nil
  }

  /// The call that words mean.
  func call(_ words: ArraySlice<String>) throws -> Plan.Call {
    let command = try command(named: words.first ?? "")
    let arguments = Array(words.dropFirst())
    return Plan.Call(
      command, try input(of: command, arguments), isPlain: arguments.isEmpty)
  }

  func command(named name: String) throws(UsageError) -> ScriptCommand {
    if let command = host.command(named: name) { return command }
    let names = host.commands.flatMap { [$0.name] + $0.aliases }
    throw .unknownCommand(name, file: file, nearest: nearestName(to: name, among: names))
  }

  private func input(of command: ScriptCommand, _ words: [String]) throws(UsageError) -> LuaValue {
    var words = words
    var asked: Parameter?
    while true {
      let problem: InputError
      do { return try command.input(from: words) } catch { problem = error }
      if case .missing(let name) = problem, asks,
        let parameter = command.parameters.first(where: { $0.name == name })
      {
        asked = parameter
      } else if asked == nil {
        throw .input("\(command.name): \(problem)" + hint(about: problem))
      } else {
        Terminal.error("raclette: \(problem)\n")
        words.removeFirst()
      }
      guard let parameter = asked, let answer = Question(parameter).ask() else {
        throw .input("\(command.name): \(problem)")
      }
      words.insert("--\(parameter.name)=\(answer)", at: 0)
    }
  }

  /// What was probably meant by an option that the command does not have but the runner.
  private func hint(about problem: InputError) -> String {
    let name: String
    switch problem {
    case .unknown(let parameter, _): name = "--\(parameter)"
    case .surplus(let word, _) where word.hasPrefix("-"): name = word
    default: return ""
    }
    let options = Subcommand.run.options + Option.common
    guard options.contains(where: { "--\($0.long)" == name || $0.short.map { "-\($0)" } == name })
    else { return "" }
    return "; raclette's own '\(name)' goes before the command"
  }
}
