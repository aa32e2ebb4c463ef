import Scripting

/// Prompts at the terminal for the value of a parameter.
package struct ParameterPrompt {
  private let parameter: Parameter
  /// True if the answer must not be displayed.
  private let isSecret: Bool

  init(_ parameter: Parameter, isSecret: Bool) {
    self.parameter = parameter
    self.isSecret = isSecret
  }

  /// - Returns: the answer; nil if there is none, as after Ctrl-D or Ctrl-C.
  func ask() -> String? {
    let allowed =
      parameter.choices.isEmpty
      ? (parameter.kind == .string ? nil : parameter.kind.rawValue)
      : parameter.choices.joined(separator: "|")
    let remarks = [parameter.help, allowed].compactMap(\.self)
    let text = remarks.isEmpty ? "" : " (\(remarks.joined(separator: "; ")))"
    return TerminalQuestion(text: "\(parameter.name)\(text): ", isSecret: isSecret).ask()
  }
}
