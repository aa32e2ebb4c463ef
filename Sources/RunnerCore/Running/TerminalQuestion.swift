import Platform
import Scripting

/// A question at the terminal, answered by one line of standard input.
package struct TerminalQuestion {
  /// True if there is a terminal to ask at.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  let text: String
  /// True if the answer must not be displayed.
  var isSecret = false

  /// - Returns: the answer; nil if there is none, as after Ctrl-D or Ctrl-C.
  func ask() -> String? {
    var modes = termios()
    guard isSecret, tcgetattr(STDIN_FILENO, &modes) == 0 else { return readLine {} }
    var quiet = modes
    quiet.c_lflag &= ~tcflag_t(ECHO)
    // Pending input is kept: the answer may already be typed.
    let answer = TerminalMode.changing(&modes) {
      readLine { tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet) }
    }
    // The newline was not echoed either.
    if answer != nil { Terminal.endLine() }
    return answer
  }

  /// Reads one line of standard input and not a byte more, because the rest belongs to the
  /// commands.
  ///
  /// - Parameter prepare: sets the terminal mode, also after another process has changed it.
  private func readLine(_ prepare: () -> Void) -> String? {
    var line: [UInt8] = []
    let stopping = UsualStop()
    defer { stopping.end() }
    prepare()
    Terminal.error(text.visibleInLine)
    while true {
      let input = TypedInput.wait()
      if input == .stop { break }
      guard input == .bytes else {
        prepare()
        continue
      }
      var byte: UInt8 = 0
      guard read(STDIN_FILENO, &byte, 1) == 1 else { break }
      if byte == 10 {
        // The signal may arrive after the line that was ended later.
        if TypedInput.isStopped { break }
        if !isSecret { Terminal.lineWasEnded() }
        return String(decoding: line, as: UTF8.self)
      }
      line.append(byte)
    }
    TypedInput.discardInterrupted()
    Terminal.endLine()
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
