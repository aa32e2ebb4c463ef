import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Asks at the terminal for the value of a parameter.
struct Question {
  private let parameter: Parameter

  init(_ parameter: Parameter) {
    self.parameter = parameter
  }

  /// - Returns: the answer; nil when there is none, as at Ctrl-D or Ctrl-C.
  func ask() -> String? {
    let allowed =
      parameter.choices.isEmpty
      ? (parameter.kind == .string ? nil : parameter.kind.rawValue)
      : parameter.choices.joined(separator: "|")
    let remarks = [parameter.help, allowed].compactMap(\.self)
    let text = remarks.isEmpty ? "" : " (\(remarks.joined(separator: "; ")))"
    Terminal.error("\(parameter.name)\(text): ")
    return readLine()
  }

  /// A line of standard input and not a byte more, as what follows belongs to the commands.
  private func readLine() -> String? {
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
