import EventLoop

import Platform

/// Lines as they come: from a pipe or a file without prompts, or from a terminal that can do no more
/// than write.
final class PlainInput: LineEditor, @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  let isInteractive: Bool
  /// Shown as lines when they change: there is no place that could be kept up to date.
  var status: [WatchLine] = [] {
    didSet {
      for line in status where !oldValue.contains(line) {
        try? Terminal.output("\(line.text)\n")
      }
    }
  }

  private let session: Session
  private var input: StandardInput?
  private var lines = LineSplitter()
  /// The terminal's mode to go back to.
  private var former: termios?
  private var ready: [[UInt8]] = []
  private var hasEnded = false
  private(set) var failure: (any Error)?

  init(_ session: Session, isInteractive: Bool) throws {
    self.session = session
    self.isInteractive = isInteractive
    if isInteractive { keepQueues() }
    input = try session.loop.standardInput(
      onChunk: { [unowned self] bytes in
        lines.append(bytes) { ready.append(Array($0)) }
      },
      onEnd: { [unowned self] error in
        failure = error
        lines.finish { ready.append(Array($0)) }
        hasEnded = true
      })
  }

  func readLine(_ prompt: Prompt) -> ReadLine {
    if isInteractive { try? Terminal.output(prompt.rawValue) }
    if ready.isEmpty && !hasEnded {
      session.host.isInputHeld = true
      input?.resume()
      session.wait {
        !ready.isEmpty || hasEnded || session.isEnding || KeyboardInterrupt.hasCome
      }
      input?.pause()
      session.host.isInputHeld = false
    }
    if KeyboardInterrupt.take() {
      try? Terminal.output("\n")
      return .interrupted
    }
    guard !session.isEnding, !ready.isEmpty else { return .end }
    return .line(ready.removeFirst())
  }

  func remember(_ line: [UInt8]) {}

  /// Lets Ctrl-C leave what was written, as at the other terminals: thrown away with it would be what
  /// answers it.
  private func keepQueues() {
    var mode = termios()
    guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
    former = mode
    mode.c_lflag |= tcflag_t(NOFLSH)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
  }

  func finish() {
    if var former { tcsetattr(STDIN_FILENO, TCSADRAIN, &former) }
    former = nil
    input?.close()
    input = nil
  }
}
