import EventLoop

/// Lines from a pipe or a file, without prompts.
final class PlainInput: LineEditor, @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  let isInteractive = false
  /// Shown as lines when they change: there is no place that could be kept up to date.
  var status: [String] = [] {
    didSet {
      for line in status where !oldValue.contains(line) {
        try? Terminal.output("\(line)\n")
      }
    }
  }

  private let session: Session
  private var input: StandardInput?
  private var lines = LineSplitter()
  private var ready: [[UInt8]] = []
  private var hasEnded = false

  init(_ session: Session) throws {
    self.session = session
    input = try session.loop.standardInput(
      onChunk: { [unowned self] bytes in
        lines.append(bytes) { ready.append(Array($0)) }
      },
      onEnd: { [unowned self] error in
        if let error { session.report.error(error.description) }
        lines.finish { ready.append(Array($0)) }
        hasEnded = true
      })
  }

  func readLine(_ prompt: Prompt) -> ReadLine {
    if ready.isEmpty && !hasEnded {
      input?.resume()
      session.wait { !ready.isEmpty || hasEnded || session.isEnding }
      input?.pause()
    }
    guard !session.isEnding, !ready.isEmpty else { return .end }
    return .line(ready.removeFirst())
  }

  func remember(_ line: [UInt8]) {}
}
