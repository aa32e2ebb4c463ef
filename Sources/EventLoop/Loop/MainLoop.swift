import Reactive

extension EventLoop: MainLoop {
  /// True if the calling thread is the loop's.
  public var isCurrent: Bool { isOnLoopThread }

  /// Starts a timer that ends with the disposal of `item`; see `Reactive.MainLoop`.
  ///
  /// libuv has no notion of leeway; `leeway` is ignored.
  public func startTimer(
    _ item: ScheduledWork, after delay: Duration, every interval: Duration?, leeway: Duration,
    _ fire: @escaping @Sendable () -> Void
  ) {
    guard isOnLoopThread else {
      let asked = EventLoop.now
      return enqueue {
        let remaining = max(.zero, delay - (EventLoop.now - asked))
        self.startTimer(item, after: remaining, every: interval, leeway: leeway, fire)
      }
    }
    let timer = timer(after: delay, every: interval, fire)
    item.onDispose {
      if self.isOnLoopThread { timer.cancel() } else { self.enqueue(timer.cancel) }
    }
  }
}
