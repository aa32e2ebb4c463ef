import Reactive

/// The terminal has one owner at a time: the processes that want it take turns. On the loop's thread.
final class TerminalTurns: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  private var isTaken = false
  private var waiting: [(subscription: CompoundDisposable, begin: () -> Void)] = []

  /// Calls `begin` when the terminal is free, which it then is not until `leave` is called; never if the
  /// subscription is disposed before.
  func take(for subscription: CompoundDisposable, _ begin: @escaping () -> Void) {
    guard !isTaken else { return waiting.append((subscription, begin)) }
    isTaken = true
    begin()
  }

  func leave() {
    isTaken = false
    while !isTaken, !waiting.isEmpty {
      let next = waiting.removeFirst()
      if !next.subscription.isDisposed { take(for: next.subscription, next.begin) }
    }
  }
}
