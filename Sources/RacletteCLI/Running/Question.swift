import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Asks at the terminal for the value of a parameter.
struct Question {
  private let parameter: Parameter
  /// Whether nobody who looks on may see the answer.
  private let isSecret: Bool

  init(_ parameter: Parameter, isSecret: Bool) {
    self.parameter = parameter
    self.isSecret = isSecret
  }

  /// - Returns: the answer; nil when there is none, as at Ctrl-D or Ctrl-C.
  func ask() -> String? {
    let allowed =
      parameter.choices.isEmpty
      ? (parameter.kind == .string ? nil : parameter.kind.rawValue)
      : parameter.choices.joined(separator: "|")
    let remarks = [parameter.help, allowed].compactMap(\.self)
    let text = remarks.isEmpty ? "" : " (\(remarks.joined(separator: "; ")))"
    let question = "\(parameter.name)\(text): "
    guard isSecret else { return readLine(question) }
    return withoutEcho {
      let answer = readLine(question)
      // The newline was not shown either.
      if answer != nil { Terminal.error("\n") }
      return answer
    }
  }

  private func withoutEcho(_ body: () -> String?) -> String? {
    var modes = termios()
    guard tcgetattr(STDIN_FILENO, &modes) == 0 else { return body() }
    var quiet = modes
    quiet.c_lflag &= ~tcflag_t(ECHO)
    // Nothing is thrown away: the answer may be typed already.
    tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet)
    defer { tcsetattr(STDIN_FILENO, TCSADRAIN, &modes) }
    return body()
  }

  /// A line of standard input and not a byte more, as what follows belongs to the commands.
  private func readLine(_ question: String) -> String? {
    Terminal.error(question)
    var line: [UInt8] = []
    while !Interruption.hasCome {
      var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard poll(&input, 1, -1) > 0 else { continue }
      var byte: UInt8 = 0
      guard read(STDIN_FILENO, &byte, 1) == 1 else { break }
      if byte == 10 { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    Terminal.error("\n")
    return nil
  }
}
