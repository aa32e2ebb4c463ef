import Scripting

import Platform

/// Prompts at the terminal for the value of a parameter.
struct ParameterPrompt {
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
    let question = "\(parameter.name)\(text): ".visibleInLine
    var modes = termios()
    guard isSecret, tcgetattr(STDIN_FILENO, &modes) == 0 else { return readLine(question) {} }
    var quiet = modes
    quiet.c_lflag &= ~tcflag_t(ECHO)
    // Pending input is kept: the answer may already be typed.
    let answer = readLine(question) { tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet) }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
    // The newline was not echoed either.
    if answer != nil { Terminal.error("\n") }
    return answer
  }

  /// Reads one line of standard input and not a byte more, because the rest belongs to the
  /// commands.
  ///
  /// - Parameter prepare: sets the terminal mode, also after another process has changed it.
  private func readLine(_ question: String, _ prepare: () -> Void) -> String? {
    var line: [UInt8] = []
    let stopping = UsualStop()
    defer { stopping.end() }
    prepare()
    Terminal.error(question)
    while true {
      let input = TypedInput.wait()
      if input == .stop { break }
      guard input == .bytes else {
        prepare()
        continue
      }
      var byte: UInt8 = 0
      guard read(STDIN_FILENO, &byte, 1) == 1 else { break }
      if byte == 10 { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    Terminal.error("\n")
    return nil
  }
}

/// Restores the default action of Ctrl-Z while nothing runs that would have to stop too.
private struct UsualStop {
  private var former = sigaction()

  init() {
    guard !isIgnored(SIGTSTP) else {
      sigaction(SIGTSTP, nil, &former)
      return
    }
    var usual = sigaction()
    sigemptyset(&usual.sa_mask)
    sigaction(SIGTSTP, &usual, &former)
  }

  func end() {
    var former = former
    sigaction(SIGTSTP, &former, nil)
  }
}
