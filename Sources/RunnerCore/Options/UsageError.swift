import Scripting

/// An error in the arguments of a call. The runner exits with status 2.
package enum UsageError: Error, Equatable {
  case unknownOption(String, nearest: String?)
  case foreignOption(String, subcommand: String)
  case misplacedOption(String, command: String)
  case unexpectedValue(String, String)
  case missingValue(String, String)
  case invalidValue(String, String, form: ValueForm)
  case unknownSubcommand(String, nearest: String?)
  case noSuchSubcommand(String, nearest: String?)
  case noSuchHelp(String, nearest: String?)
  case unknownCommand(String, file: String, meant: CommandMeant?)
  /// A parameter before the command that takes it; the command is nil if none follows.
  case parameterBeforeCommand(String, command: String?)
  case missingArgument(String, usage: String)
  case unexpectedArgument(String, usage: String)
  case directory(String, reason: String)
  case unwatchable(String)
  /// A word that is no command behind `--watch` without paths, and the command behind it.
  case wordBehindWatch(String, command: String?)
  case unknownShell(String, known: [String], nearest: String?)
  case arguments(String, InputError)
  /// A word too many behind a command: another command, or the nearest name of one.
  case surplusWord(InputError, command: String, next: String?, isCommand: Bool)
  case input(String)
}

extension UsageError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownOption(let option, let nearest):
      "unknown option '\(option)'" + didYouMean(nearest)
    case .foreignOption(let option, let subcommand):
      "'\(subcommand)' has no option '\(option)'"
    case .misplacedOption(let option, let command):
      "\(command): raclette's own '\(option)' goes before the command; after -- it is an argument"
    case .unexpectedValue(let option, let value):
      "option '\(option)' takes no value, got '\(value)'"
    case .missingValue(let option, let value):
      "option '\(option)' needs a value: \(option) \(value)"
    case .invalidValue(let option, let value, let form):
      "option '\(option)' cannot be '\(value)'; it is \(form)"
        + didYouMean(value, among: form.choices)
    case .unknownSubcommand(let name, let nearest):
      "'\(name)' is neither a subcommand nor a script"
        + didYouMean(
          nearest,
          otherwise: "no \(CommandFile.name) here or in a folder above defines it as a command"
            + CommandFile.hintAtMisnamed
            + (CommandFile.nearestAdoptable().map { "; 'raclette --adopt \(name)' looks in \($0)" }
              ?? ""))
    case .noSuchSubcommand(let name, let nearest):
      "there is no subcommand ':\(name)'" + didYouMean(nearest)
    case .noSuchHelp(let name, let nearest):
      "there is no subcommand '\(name)'" + didYouMean(nearest)
    case .unknownCommand(let name, let file, let meant):
      "unknown command '\(name)' in \(file)" + (meant?.hint ?? "")
    case .parameterBeforeCommand(let word, let command):
      "parameters follow their command: raclette \(command ?? "COMMAND") \(word.quotedForShell)"
    case .missingArgument(let name, let usage):
      "\(name) is missing; usage: \(usage)"
    case .unexpectedArgument(let argument, let usage):
      "unexpected argument '\(argument)'; usage: \(usage)"
    case .directory(let path, let reason):
      "cannot change to '\(path)': \(reason)"
    case .unwatchable(let path):
      "there is nothing to watch at '\(path)'"
    case .wordBehindWatch(let word, let command):
      (command == nil ? "COMMAND is missing; " : "")
        + "'\(word)' is not a command; the paths of --watch follow '=': "
        + "raclette --watch=\(word.quotedForShell) \(command ?? "COMMAND")"
    case .unknownShell(let shell, let known, let nearest):
      "there are no completions for '\(shell)', only for \(known.joined(separator: ", "))"
        + didYouMean(nearest)
    case .arguments(let command, let problem):
      "\(command): \(problem)"
    case .surplusWord(let problem, let command, let next, let isCommand):
      "\(command): \(problem)" + (isCommand || next == nil ? ";" : didYouMean(next)) + " "
        + problem.ways(to: isCommand ? next ?? "" : "COMMAND", after: command)
    case .input(let message):
      message
    }
  }

  /// Returns an error that says where parameters belong, if the unknown command looks like one.
  ///
  /// - Parameter command: the name of the command that follows it.
  func explained(before command: String?) -> UsageError {
    guard case .unknownCommand(let name, _, _) = self, let end = name.firstIndex(of: "="),
      name[..<end].isParameterName
    else { return self }
    return .parameterBeforeCommand(name, command: command)
  }

  /// The system's reason, if there is one.
  package var reason: String {
    if case .directory(_, let reason) = self { reason } else { description }
  }
}

extension InputError {
  /// The ways to execute a command beside the one that has refused a word.
  fileprivate func ways(to next: String, after command: String) -> String {
    var call = command
    if case .surplus(_, let known) = self, !known.isEmpty { call += " …" }
    return "'\(call) \(CallWords.inOrder) \(next)' executes both in order, "
      + "'\(call) \(CallWords.sideBySide) \(next)' side by side"
  }
}
