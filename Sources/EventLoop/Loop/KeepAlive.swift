import CLibUV
import Synchronization

/// Keeps `EventLoop.run()` from returning while work is under way that the loop cannot see.
///
/// From any thread. Ends with `release()` or when the token is deallocated.
public final class KeepAlive: Sendable {
  private let loop: EventLoop
  private let isHeld = Mutex(true)

  fileprivate init(_ loop: EventLoop) {
    self.loop = loop
    loop.changeKeepAlives(by: 1)
  }

  deinit { release() }

  /// Gives the token back; further calls do nothing.
  public func release() {
    let wasHeld = isHeld.withLock { isHeld in
      defer { isHeld = false }
      return isHeld
    }
    if wasHeld { loop.changeKeepAlives(by: -1) }
  }
}

extension EventLoop {
  /// A token that keeps `run()` from returning until it is released. From any thread.
  public func keepAlive() -> KeepAlive { KeepAlive(self) }

  fileprivate func changeKeepAlives(by change: Int) {
    let isOnLoopThread = isOnLoopThread
    let isOpen = inbox.withLock { inbox in
      inbox.keepAlives += change
      if !inbox.isClosed, !isOnLoopThread { uv_async_send(wakeUp) }
      return !inbox.isClosed
    }
    if isOnLoopThread, isOpen { alignKeepAlive() }
  }

  /// Makes the wake-up handle count as work exactly while tokens are held.
  func alignKeepAlive() {
    let isHeld = inbox.withLock { $0.keepAlives > 0 }
    let handle = HandleMemory.generic(wakeUp)
    if isHeld { uv_ref(handle) } else { uv_unref(handle) }
  }
}
