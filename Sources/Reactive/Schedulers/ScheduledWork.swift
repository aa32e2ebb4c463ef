import Synchronization

/// Work that waits for its turn and can be dropped until then.
///
/// The closure is released when it has run, or at once when it is disposed.
public final class ScheduledWork: Disposable {
  private let work: Mutex<(@Sendable () -> Void)?>
  private let teardown = CompoundDisposable()

  /// Work that has not run.
  public init(_ work: @escaping @Sendable () -> Void) {
    self.work = Mutex(work)
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
    work?()
  }

  /// Runs the work and keeps it for the next time.
  public func run() {
    let work = work.withLock { $0 }
    work?()
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
