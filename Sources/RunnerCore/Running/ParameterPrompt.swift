import LuaRuntime
import Scripting

/// Prompts at the terminal for the value of a parameter.
struct ParameterPrompt {
  private let parameter: Parameter
  /// True if the answer must not be displayed.
  private let isSecret: Bool

  init(_ parameter: Parameter, isSecret: Bool) {
    self.parameter = parameter
    self.isSecret = isSecret
  }

  /// - Returns: the answer, which is empty if Enter is all of it; nil if there is none, as after Ctrl-D
  ///   or Ctrl-C.
  func ask() -> String? {
    let answer = question.ask()
    guard parameter.kind == .boolean else { return answer }
    return switch answer?.lowercased() {
    case "y", "yes": "true"
    case "n", "no": "false"
    default: answer
    }
  }

  private var question: TerminalQuestion {
    let allowed: String? =
      if parameter.choices.isEmpty {
        switch parameter.kind {
        case .string: nil
        case .boolean: "y/n"
        case .integer, .number: parameter.kind.rawValue
        }
      } else {
        parameter.choices.joined(separator: "|")
      }
    let remarks = [parameter.help, allowed].compactMap(\.self)
    let text = remarks.isEmpty ? "" : " (\(remarks.joined(separator: "; ")))"
    return TerminalQuestion(text: "\(parameter.name)\(text): ", isSecret: isSecret)
  }
}

extension ScriptCommand {
  /// Parses the words behind the name of the command in a call.
  ///
  /// - Parameter prompting: true to prompt for missing values, if there is a terminal.
  package func input(
    from words: [String], prompting: Bool
  ) throws(UsageError) -> LuaValue {
    var words = words
    var asked: Parameter?
    while true {
      let problem: InputError
      do { return try input(from: words) } catch { problem = error }
      hideSecrets(of: problem)
      if case .missing(let name, _) = problem, prompting, TerminalQuestion.isPossible,
        let parameter = parameters.first(where: { $0.name == name }), !parameter.isRest
      {
        asked = parameter
      } else if asked == nil {
        throw .arguments(name, problem)
      } else {
        Terminal.error("raclette: \("\(problem)".visibleInMessage)\n")
        words.removeFirst()
      }
      guard let parameter = asked,
        let answer = ParameterPrompt(parameter, isSecret: isSecret(parameter)).ask()
      else {
        throw .arguments(name, problem)
      }
      // Enter alone does not answer; the question is asked again.
      if answer.isEmpty { continue }
      words.insert("--\(parameter.name)=\(answer)", at: 0)
    }
  }
}
