import Synchronization

/// Work that waits for its turn and can be dropped until then.
///
/// The closure is released when it has run, or at once when it is disposed.
public final class ScheduledWork: Disposable {
  /// Wraps the closure so that generic code passes it on unchanged: each time the mutex lends out a
  /// bare closure, it is wrapped once more, permanently.
  private struct Work: Sendable {
    let body: @Sendable () -> Void
  }

  private let work: Mutex<Work?>
  private let teardown = CompoundDisposable()

  /// Creates work that has not run.
  public init(_ work: @escaping @Sendable () -> Void) {
    self.work = Mutex(Work(body: work))
  }

  /// True once the work has been taken or dropped.
  public var isDisposed: Bool {
    work.withLock { $0 == nil }
  }

  /// Runs the work once.
  public func runOnce() {
    let work = work.withLock { stored in
      defer { stored = nil }
      return stored
    }
    work?.body()
  }

  /// Runs the work and keeps it for the next time.
  public func run() {
    let work = work.withLock { $0 }
    work?.body()
  }

  /// Adds an action that runs when the work is disposed, for example to end its timer.
  public func onDispose(_ action: @escaping @Sendable () -> Void) {
    teardown.add(action)
  }

  /// Drops the work.
  public func dispose() {
    // Released outside the lock.
    _ = work.withLock { stored in
      defer { stored = nil }
      return stored
    }
    teardown.dispose()
  }
}
