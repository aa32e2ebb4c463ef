import Synchronization

/// Runs an action when it is first disposed, and then releases it. RAC: `RACDisposable`'s
/// `disposableWithBlock:`.
public final class ActionDisposable: Disposable {
  private let action: Mutex<(@Sendable () -> Void)?>

  /// A disposable that runs `action`, on the thread that disposes it.
  public init(_ action: @escaping @Sendable () -> Void) {
    self.action = Mutex(action)
  }

  /// True once `dispose` has taken the action.
  public var isDisposed: Bool {
    action.withLock { $0 == nil }
  }

  /// Runs the action unless it has already run.
  public func dispose() {
    let action = action.withLock { stored in
      defer { stored = nil }
      return stored
    }
    action?()
  }
}
