import EventLoop
import Platform
import RunnerCore

/// Reads entries line by line: from a pipe or a file without prompts, or from a terminal without
/// cursor control.
final class PlainInput: ReplInput, @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  let isInteractive: Bool
  let hasCursor = false
  /// Printed as lines on each change: without cursor control they cannot be updated in place.
  var status: [WatchPane] = [] {
    didSet {
      for line in status where !oldValue.contains(where: { $0.text == line.text }) {
        try? Terminal.output("\(line.text)\n")
      }
    }
  }

  /// Returns true if an entry is complete.
  var isWhole: ([UInt8]) -> Bool = { _ in true }

  private let session: Session
  private var lineNumber = 0
  private var input: StandardInput?
  private var lines = LineSplitter()
  private let keyboard = KeyboardMode()
  /// A slice, of which the first is removed in constant time: a pipe brings many lines at once.
  private var ready: ArraySlice<[UInt8]> = []
  private var hasEnded = false
  private(set) var failure: (any Error)?

  init(_ session: Session, isInteractive: Bool) throws {
    self.session = session
    self.isInteractive = isInteractive
    if isInteractive { keyboard.useForPrograms() }
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

  func readEntry() -> ReadEntry {
    var text: [UInt8] = []
    var first = 0
    var nesting = Nesting()
    while true {
      switch readLine(prompt: text.isEmpty ? "rac> " : "..> ") {
      case .end:
        // Executing an incomplete entry reports its error.
        return text.isEmpty ? .end : .entry(text: text, line: first)
      case .interrupted: return .interrupted
      case .line(let line):
        lineNumber += 1
        if text.isEmpty { first = lineNumber } else { text.append(10) }
        text += line
        nesting.add(line, of: text)
        // Also compile at growing intervals, so that an error is reported near its position.
        let isDue = nesting.depth <= 0 || nesting.lines & (nesting.lines - 1) == 0
        if isDue, isWhole(text) { return .entry(text: text, line: first) }
      }
    }
  }

  private enum ReadLine {
    /// The bytes without the line break.
    case line([UInt8])
    case interrupted
    case end
  }

  private func readLine(prompt: String) -> ReadLine {
    if isInteractive { try? Terminal.output(prompt) }
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
      if isInteractive { discardTyped() }
      try? Terminal.output("\n")
      return .interrupted
    }
    guard !session.isEnding, !ready.isEmpty else {
      // The next output begins on a new line.
      if isInteractive { try? Terminal.output("\n") }
      return .end
    }
    defer { if ready.isEmpty { ready = [] } }
    return .line(ready.removeFirst())
  }

  /// Discards what was typed, because without cursor control it cannot be edited.
  func holdInput() {
    if isInteractive { discardTyped() }
  }

  /// Discards the lines typed so far and the one begun: in this mode the terminal does not do it.
  private func discardTyped() {
    ready.removeAll()
    lines = LineSplitter()
    tcflush(STDIN_FILENO, TCIFLUSH)
  }

  func prepare(_ text: String) -> Bool { false }

  func remember(_ entry: [UInt8]) {}

  func finish() {
    if isInteractive { keyboard.finish() }
    input?.close()
    input = nil
  }
}
