import Reactive

/// Counts the work that observers of commands start, so that a run ends only after it.
///
/// An observer is a script's function that receives an event of a command's signal, such as
/// `errors` or `executing`. Its work is the timers, processes, coroutines and executions that it
/// starts, and those that these start in turn: hops, timers, processes and coroutines pass the
/// context on. Confined to the loop's thread.
public final class ObserverWork {
  /// True if the code that runs now belongs to an observer.
  @exclusivity(unchecked) private(set) var isCurrent = false
  /// The number of its pieces that have not ended.
  @exclusivity(unchecked) public private(set) var pending = 0

  /// Runs `body` as part of an observer's work, or outside any.
  @inline(__always)
  func within<Result>(_ isObserver: Bool, _ body: () throws -> Result) rethrows -> Result {
    let outer = isCurrent
    isCurrent = isObserver
    defer { isCurrent = outer }
    return try body()
  }

  /// Counts the work that begins now if an observer starts it.
  ///
  /// - Returns: the item that ends the count; nil outside an observer's work.
  func begin() -> ObserverWorkItem? {
    isCurrent ? ObserverWorkItem(self) : nil
  }

  fileprivate func change(by number: Int) { pending += number }
}

/// A piece of an observer's work, until it ends or is dropped.
final class ObserverWorkItem {
  private var work: ObserverWork?

  fileprivate init(_ work: ObserverWork) {
    self.work = work
    work.change(by: 1)
  }

  deinit { end() }

  /// Ends it; further calls do nothing.
  func end() {
    work?.change(by: -1)
    work = nil
  }
}
