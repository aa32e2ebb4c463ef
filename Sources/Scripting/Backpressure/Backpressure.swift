import LuaRuntime
import Reactive

/// What one source outside of Lua, a process or standard input, has sent and what waits in queues
/// since. While that is too much, the source stops.
///
/// Whoever queues a value takes a place in the backlog of the source that is sending now,
/// `ScriptHost.backlog`, and leaves it when the value goes on; whatever the operators in between are.
/// On the loop's thread.
final class Backpressure: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  private unowned(unsafe) let host: ScriptHost
  private let scheduler: MainScheduler
  private let onRoom: @Sendable () -> Void
  private var size = 0
  /// Whether the source has to stop until it is called.
  private(set) var isFull = false

  /// In bytes, more or less. So much that a delay by seconds does not slow a program down that writes
  /// some thousand lines a second, and so little that a thousand programs do no harm.
  private static let limit = 4 << 20

  /// - Parameter onRoom: called in a turn of its own when there is room again after `isFull`.
  init(_ host: ScriptHost, onRoom: @escaping @Sendable () -> Void) {
    self.host = host
    scheduler = host.scheduler
    self.onRoom = onRoom
  }

  fileprivate func add(_ amount: Int) {
    size += amount
    if size >= Self.limit { isFull = true }
  }

  fileprivate func remove(_ amount: Int) {
    size -= amount
    // Not at once: a source that starts and stops for each value is slow.
    guard isFull, size <= Self.limit / 2 else { return }
    isFull = false
    scheduler.enqueue(onRoom)
  }

  /// Sends for the source: what is queued meanwhile waits in its backlog.
  func whileSending(_ send: () -> Void) {
    let outer = host.backlog
    host.backlog = self
    send()
    host.backlog = outer
  }
}

/// A place in a backlog, taken until it is left or dropped.
final class BacklogPlace: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  private let backlog: Backpressure
  private var amount: Int

  fileprivate init(_ backlog: Backpressure, _ amount: Int) {
    self.backlog = backlog
    self.amount = amount
    backlog.add(amount)
  }

  deinit { leave() }

  func leave() {
    if amount > 0 { backlog.remove(amount) }
    amount = 0
  }

  /// Leaves the place after what was queued has gone on, which may queue it again.
  func leave(_ goOn: () -> Void) {
    backlog.whileSending(goOn)
    leave()
  }
}

extension ScriptHost {
  /// A place for a value that is about to be queued; nil if no source could be stopped for it.
  func backlogPlace(for value: LuaValue) -> BacklogPlace? {
    backlogPlace(forBytes: 256 + (value.stringValue?.count ?? 0))
  }

  /// A place for so many bytes.
  func backlogPlace(forBytes count: Int) -> BacklogPlace? {
    backlog.map { BacklogPlace($0, count) }
  }

  /// A place for a signal that waits for its turn; what it is going to take nobody knows.
  func backlogPlaceForSignal() -> BacklogPlace? {
    backlog.map { BacklogPlace($0, 64 << 10) }
  }
}
