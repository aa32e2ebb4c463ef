import Reactive

/// Gives the terminal to one owner at a time: processes that want it take turns. Confined to the
/// loop's thread.
final class TerminalTurns {
  private var isTaken = false
  private var waiting: [(subscription: CompoundDisposable, begin: () -> Void)] = []

  /// Calls `begin` when the terminal is free, and reserves it until `leave` is called. Does not
  /// call `begin` if the subscription is disposed before.
  func take(for subscription: CompoundDisposable, _ begin: @escaping () -> Void) {
    guard !isTaken else { return waiting.append((subscription, begin)) }
    isTaken = true
    begin()
  }

  /// Reserves the terminal if it is free.
  func takeIfFree() -> Bool {
    defer { isTaken = true }
    return !isTaken
  }

  func leave() {
    isTaken = false
    while !isTaken, !waiting.isEmpty {
      let next = waiting.removeFirst()
      if !next.subscription.isDisposed { take(for: next.subscription, next.begin) }
    }
  }
}
