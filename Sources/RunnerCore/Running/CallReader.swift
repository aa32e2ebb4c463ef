import LuaRuntime
import Platform
import Scripting

/// Parses the words of calls into commands and inputs.
package struct CallReader {
  private let host: ScriptHost
  private let file: String
  /// True if it may prompt for missing values.
  private let asks: Bool
  /// Options that belong before a command.
  private let ownOptions: [Option]
  /// Other names that may have been meant instead of a command's.
  private let otherNames: [String]

  /// - Parameters:
  ///   - asks: true to prompt for missing values, if there is a terminal.
  ///   - ownOptions: options that belong before a command.
  ///   - otherNames: names that may have been meant instead of a command's.
  package init(
    _ host: ScriptHost, file: String, asks: Bool, ownOptions: [Option], otherNames: [String]
  ) {
    self.host = host
    self.file = file
    self.asks = asks
    self.ownOptions = ownOptions
    self.otherNames = otherNames
  }

  /// The command whose help is requested instead of its execution.
  package func helpWanted(in calls: [ArraySlice<String>]) throws -> ScriptCommand? {
    for call in calls {
      let words = Array(call.dropFirst())
      guard words.prefix(while: { $0 != "--" }).contains("--help") || words.first == "-h" else {
        continue
      }
      let command = try command(named: call.first ?? "")
      // What follows the first word of the rest is not for the runner.
      let own = words.prefix(command.parameters.ownWordCount(of: words) + 1)
      if own.contains("--help") || own.first == "-h" { return command }
    }
    return nil
  }

  /// Returns the words of calls, split into sequences.
  package func calls(in words: [String]) -> CallWords {
    CallWords(words) { [host] name in host.command(named: name).map { !$0.takesNoArguments } }
  }

  /// Parses the words of sequences of calls.
  ///
  /// - Throws: `UsageError`, which for a word too many says how several commands are executed.
  package func sequences(of words: CallWords) throws -> [[Plan.Call]] {
    try words.sequences.map { sequence in
      try sequence.map { words in
        do { return try call(words) } catch let error as UsageError { throw explained(error) }
      }
    }
  }

  /// Returns an error with the ways to execute several commands, if a word was probably meant as
  /// another one.
  private func explained(_ error: UsageError) -> UsageError {
    guard case .arguments(let name, .surplus(let word, let known)) = error else { return error }
    let isCommand = host.command(named: word) != nil
    let next = isCommand ? word : host.commandMeant(by: word)
    // Behind other arguments it is one too many.
    guard next != nil || known.isEmpty else { return error }
    return .surplusWord(
      .surplus(word, known: known), command: name, next: next, isCommand: isCommand)
  }

  /// Parses the words of a call.
  package func call(_ words: ArraySlice<String>) throws -> Plan.Call {
    let arguments = Array(words.dropFirst())
    let command: ScriptCommand
    do { command = try self.command(named: words.first ?? "") } catch {
      throw error.explained(before: arguments.first.flatMap(host.command)?.name)
    }
    if let option = ownOption(in: arguments, of: command) {
      throw UsageError.misplacedOption(option, command: command.name)
    }
    return Plan.Call(command, try command.input(from: arguments, prompting: asks))
  }

  package func command(named name: String) throws(UsageError) -> ScriptCommand {
    if let command = host.command(named: name) { return command }
    throw .unknownCommand(name, file: file, meant: host.meaning(of: name, or: otherNames))
  }

  /// The first word that is an option of the runner and belongs before the command: treated as
  /// input, it would execute the command for a user who asked for a dry run.
  private func ownOption(in words: [String], of command: ScriptCommand) -> String? {
    // A rest parameter takes options of every kind.
    if command.parameters.last?.isRest == true { return nil }
    var isValue = false
    for word in words.prefix(while: { $0 != "--" }) {
      if isValue {
        // Only the command knows if the word is a value.
        isValue = false
      } else if word.hasPrefix("--") {
        let name = word.dropFirst(2).prefix { $0 != "=" }
        let isOwn = command.parameters.contains { $0.name == name || "no-\($0.name)" == name }
        if !isOwn, ownOptions.contains(where: { $0.long == name }) { return "--\(name)" }
        isValue = !word.contains("=")
      } else if word.hasPrefix("-"), let letter = word.dropFirst().first,
        let option = ownOptions.first(where: { $0.short == letter }),
        word.count == 2 || option.value != nil
      {
        return "-\(letter)"
      }
    }
    return nil
  }
}
