/// Work or a resource that can be disposed. RAC: `RACDisposable`.
///
/// Disposing is idempotent, may happen on any thread, and never runs user code while a lock is
/// held.
public protocol Disposable: AnyObject, Sendable {
  /// Ends the work or releases the resource. Calls after the first do nothing.
  func dispose()

  /// True once `dispose` was called.
  var isDisposed: Bool { get }
}

extension Disposable {
  /// A disposable that disposes this one when it is itself released.
  public func scoped() -> ScopedDisposable {
    ScopedDisposable(self)
  }
}
