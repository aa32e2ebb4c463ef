import CLibUV
import Platform

/// A timer of an event loop, which owns it while it is pending. Confined to the loop's thread, which is
/// checked.
public struct Timer: Sendable {
  private let handle: LoopBound<TimerHandle>

  fileprivate init(_ handle: TimerHandle) { self.handle = LoopBound(handle) }

  /// True if the timer will still fire.
  public var isActive: Bool { handle.value.isOpen }

  /// Stops the timer and releases its closure at once. Further calls do nothing.
  public func cancel() { handle.value.cancel() }

  /// Lets the loop end although the timer is pending.
  public func unref() { handle.value.unref() }
}

private final class TimerHandle: LoopHandle {
  private var body: (() -> Void)?
  private var due: UInt64
  private let period: UInt64?

  /// - Parameter due: the instant on the clock of libuv, in nanoseconds.
  init(
    _ loop: EventLoop, at due: UInt64, every period: Duration?, _ body: @escaping () -> Void
  ) {
    self.body = body
    self.period = period.map { max(1, $0.inNanoseconds) }
    self.due = due
    super.init(loop) { uv_timer_init(loop.raw, $0) }
    arm()
  }

  override func releaseClosures() { body = nil }

  /// libuv counts whole milliseconds of the same clock. Rounding up the instant, not the delay,
  /// never fires early and never accumulates an error.
  private func arm() {
    let dueMillisecond = due.addingSaturated(999_999) / 1_000_000
    let present = uv_now(loop.raw)
    uv_timer_start(
      raw(as: uv_timer_t.self), { TimerHandle.behind($0?.pointee.data)?.fire() },
      dueMillisecond > present ? dueMillisecond - present : 0, 0)
  }

  private func fire() {
    guard let body else { return }
    loop.timerFired()
    if let period {
      let late = uv_hrtime() &- due
      due = due.addingSaturated(period * (late / period + 1))
      arm()
    } else {
      close()
    }
    body()
  }
}

extension EventLoop {
  /// Calls `body` after `delay`, and then every `period` if one is given.
  ///
  /// Uses the monotonic clock. Never fires early, and less than a millisecond late on an idle loop:
  /// libuv counts milliseconds, so an instant is rounded up. Timers due in the same millisecond
  /// fire in the order of their start. A repeating timer fires at multiples of its period from its
  /// start; it skips rounds missed while the loop was busy. A pending timer keeps the loop running.
  @discardableResult
  public func timer(
    after delay: Duration, every period: Duration? = nil, _ body: @escaping () -> Void
  ) -> Timer {
    confine()
    let due = uv_hrtime().addingSaturated(delay.inNanoseconds)
    return Timer(TimerHandle(self, at: due, every: period, body))
  }

  /// Calls `body` at an instant of the clock `now`, and then every `period` if one is given. Timers of
  /// one instant fire in one turn.
  @discardableResult
  public func timer(
    at instant: Duration, every period: Duration? = nil, _ body: @escaping () -> Void
  ) -> Timer {
    confine()
    return Timer(TimerHandle(self, at: instant.inNanoseconds, every: period, body))
  }
}

extension Duration {
  /// Nanoseconds from 0 to about a century.
  fileprivate var inNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    if seconds > 3_000_000_000 { return 3_000_000_000 * 1_000_000_000 }
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}

extension UInt64 {
  fileprivate func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
