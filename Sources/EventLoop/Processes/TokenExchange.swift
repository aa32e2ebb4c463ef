import Platform

/// Shares the tokens of two pipes between the processes that read from one and those that read from the
/// other. A pipe does not show whether a process waits for its tokens. Loop's thread.
///
/// If both pipes are empty, all tokens are in use. If only one is empty, a process may be waiting there
/// while the other pipe has tokens, so half of these are moved. Free tokens therefore move back and forth,
/// at growing intervals.
final class TokenExchange {
  private static let shortest = Duration.milliseconds(5)
  /// The longest time between two looks: while all tokens are in use, and while some are free.
  private static let (longest, longestIdle) = (Duration.milliseconds(50), Duration.seconds(1))

  private let pipes: [TokenPipe]
  private let loop: EventLoop
  private var interval = shortest
  private var free = 0
  private var timer: Timer?

  init(between first: TokenPipe, and second: TokenPipe, on loop: EventLoop) {
    pipes = [first, second]
    self.loop = loop
    look()
  }

  func end() { timer?.cancel() }

  private func look() {
    // Moved to the other pipe, it would count as one of its tokens.
    for pipe in pipes { pipe.dropSurplus() }
    let count = pipes.reduce(0) { $0 + $1.count }
    let longest = count > 0 ? Self.longestIdle : Self.longest
    interval = count == free ? min(interval * 2, longest) : Self.shortest
    free = count
    for (from, to) in [(pipes[0], pipes[1]), (pipes[1], pipes[0])] where to.count == 0 {
      move((from.count + 1) / 2, from, to)
      break
    }
    timer = loop.timer(after: interval) { [weak self] in self?.look() }
    // What takes part keeps the loop running.
    timer?.unref()
  }

  private func move(_ count: Int, _ from: TokenPipe, _ to: TokenPipe) {
    for _ in 0..<count {
      guard case .token(let token) = from.take() else { return }
      to.put([token])
    }
  }
}
