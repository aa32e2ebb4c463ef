/// Disposes another disposable when it is disposed or released. RAC: `RACScopedDisposable`.
public final class ScopedDisposable: Disposable {
  private let inner: any Disposable

  /// Ties `inner` to the lifetime of this object.
  public init(_ inner: any Disposable) {
    self.inner = inner
  }

  deinit {
    inner.dispose()
  }

  /// True once the other disposable has been disposed.
  public var isDisposed: Bool { inner.isDisposed }

  /// Disposes the other disposable.
  public func dispose() {
    inner.dispose()
  }
}
