import Synchronization

/// Holds one disposable at a time; replacing it disposes the previous one. RAC:
/// `RACSerialDisposable`.
public final class SerialDisposable: Disposable {
  private enum State {
    case holding((any Disposable)?)
    case disposed
  }

  private let state: Mutex<State>

  /// Holds `inner` from the start.
  public init(_ inner: (any Disposable)? = nil) {
    state = Mutex(.holding(inner))
  }

  /// True once `dispose` was called.
  public var isDisposed: Bool {
    state.withLock { if case .disposed = $0 { true } else { false } }
  }

  /// The current disposable. Setting it disposes the previous one, outside the lock; setting it on
  /// a disposed serial disposable disposes the new one at once.
  public var inner: (any Disposable)? {
    get {
      state.withLock { if case .holding(let inner) = $0 { inner } else { nil } }
    }
    set {
      let unwanted: (any Disposable)? = state.withLock { state in
        guard case .holding(let old) = state else { return newValue }
        state = .holding(newValue)
        return old === newValue ? nil : old
      }
      unwanted?.dispose()
    }
  }

  /// Replaces the current disposable without disposing it. On a disposed serial disposable the new
  /// one is disposed at once. RAC: `swapInDisposable:`.
  ///
  /// - Returns: the previous disposable, which the caller now has to dispose.
  @discardableResult
  public func swapInner(_ inner: (any Disposable)?) -> (any Disposable)? {
    let (former, unwanted): ((any Disposable)?, (any Disposable)?) = state.withLock { state in
      guard case .holding(let former) = state else { return (nil, inner) }
      state = .holding(inner)
      return (former, nil)
    }
    unwanted?.dispose()
    return former
  }

  /// Disposes the current disposable and every later one.
  public func dispose() {
    let old: (any Disposable)? = state.withLock { state in
      guard case .holding(let inner) = state else { return nil }
      state = .disposed
      return inner
    }
    old?.dispose()
  }
}
