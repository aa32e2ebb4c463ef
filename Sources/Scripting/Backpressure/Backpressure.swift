import LuaRuntime
import Platform
import Reactive

/// The backlog of one source outside Lua, a process or standard input: the values that it has sent
/// and that still wait in queues. The source stops while the backlog is too large.
///
/// Code that queues a value takes a place in the backlog of the source that is sending now,
/// `ExecutionContext.backlog`, and leaves it when the value is passed on, whatever the operators in
/// between are. Confined to the loop's thread.
final class Backpressure {
  private unowned(unsafe) let host: ScriptHost
  private let scheduler: MainScheduler
  private let onRoom: () -> Void
  private var size = 0
  /// True if the source has to stop until `onRoom` is called.
  private(set) var isFull = false

  /// The approximate limit in bytes: large enough that a delay of seconds does not slow down a
  /// program that writes some thousand lines a second, and small enough that a thousand programs do
  /// no harm.
  private static let limit = 4 << 20

  /// - Parameter onRoom: called in a turn of its own when there is room again after `isFull`.
  init(_ host: ScriptHost, onRoom: @escaping () -> Void) {
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
    scheduler.enqueue(onLoop(onRoom))
  }

  /// Sends for the source: values queued meanwhile take places in its backlog.
  func whileSending(_ send: () -> Void) {
    host.context.with(\.backlog, self, send)
  }
}

/// A place in a backlog, held until it is left or dropped.
final class BacklogPlace {
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

  /// Leaves the place after the queued value has been passed on; `goOn` may queue it again.
  func leave(_ goOn: () -> Void) {
    backlog.whileSending(goOn)
    leave()
  }
}

extension ScriptHost {
  /// Returns a place for a value that is about to be queued; nil if no source could be stopped for
  /// it.
  func backlogPlace(for value: LuaValue) -> BacklogPlace? {
    backlogPlace(forBytes: backlogOfValue + (value.stringValue?.count ?? 0))
  }

  /// Returns a place for a number of bytes.
  func backlogPlace(forBytes count: Int) -> BacklogPlace? {
    context.backlog.map { BacklogPlace($0, count) }
  }

  /// Returns a place for a signal that waits to be subscribed; its true size is unknown.
  func backlogPlaceForSignal() -> BacklogPlace? {
    context.backlog.map { BacklogPlace($0, 64 << 10) }
  }
}
