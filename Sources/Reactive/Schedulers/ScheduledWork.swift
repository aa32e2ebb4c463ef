import Synchronization

/// Work that waits for its turn and can be dropped until then.
///
/// The closure is released when it has run, or at once when it is disposed.
public final class ScheduledWork: Disposable {
  /// A closure that generic code hands on as it is: a bare one is wrapped once more, for good, each
  /// time that the mutex lends it.
  private struct Work: Sendable {
    let body: @Sendable () -> Void
  }

  private let work: Mutex<Work?>
  private let teardown = CompoundDisposable()

  /// Work that has not run.
  public init(_ work: @escaping @Sendable () -> Void) {
    self.work = Mutex(Work(body: work))
  }

  /// Whether the work has been taken or dropped.
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

  /// Ties the end of a timer to the disposal of its work.
  public func onDispose(_ action: @escaping @Sendable () -> Void) {
    teardown.add(action)
  }

  /// Drops the work.
  public func dispose() {
    // Released after the lock.
    _ = work.withLock { stored in
      defer { stored = nil }
      return stored
    }
    teardown.dispose()
  }
}
