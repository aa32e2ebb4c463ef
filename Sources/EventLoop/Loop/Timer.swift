import CLibUV

/// A timer of an event loop. Confined to the loop's thread.
public final class Timer: @unchecked Sendable, HandleOwner {
  // Unchecked, because it is confined to the loop's thread, which `confine()` checks.

  private unowned let loop: EventLoop
  private var handle: UnsafeMutablePointer<uv_timer_t>?
  private var body: (() -> Void)?
  private var due: UInt64
  private let period: UInt64?

  fileprivate init(
    _ loop: EventLoop, after delay: Duration, every period: Duration?, _ body: @escaping () -> Void
  ) {
    self.loop = loop
    self.body = body
    self.period = period.map { max(1, $0.inNanoseconds) }
    due = uv_hrtime().addingSaturated(delay.inNanoseconds)
    let handle = HandleMemory.allocate(uv_timer_t.self)
    uv_timer_init(loop.raw, handle)
    self.handle = handle
    HandleMemory.bind(handle, to: self)
    arm(handle)
  }

  /// Whether the timer will still fire.
  public var isActive: Bool { handle != nil }

  /// Lets the loop end although the timer is pending.
  public func unkeep() {
    guard let handle else { return }
    loop.confine()
    uv_unref(HandleMemory.generic(handle))
  }

  /// Stops the timer and releases its closure at once. Further calls do nothing.
  public func cancel() {
    guard handle != nil else { return }
    loop.confine()
    loopCloses()
  }

  func loopCloses() {
    guard let handle else { return }
    self.handle = nil
    body = nil
    HandleMemory.close(handle)
  }

  /// libuv counts whole milliseconds of the same clock: rounding the instant up, instead of the
  /// delay, never fires early and never adds up an error.
  private func arm(_ handle: UnsafeMutablePointer<uv_timer_t>) {
    let dueMillisecond = due.addingSaturated(999_999) / 1_000_000
    let present = uv_now(loop.raw)
    uv_timer_start(
      handle,
      { handle in
        HandleMemory.owner(Timer.self, behind: handle?.pointee.data)?.fire()
      }, dueMillisecond > present ? dueMillisecond - present : 0, 0)
  }

  private func fire() {
    guard let handle, let body else { return }
    if let period {
      let late = uv_hrtime() &- due
      due = due.addingSaturated(period * (late / period + 1))
      arm(handle)
    } else {
      cancel()
    }
    body()
  }
}

extension EventLoop {
  /// Calls `body` after `delay`, and then every `period` if one is given.
  ///
  /// Monotonic. Never early, and late by less than a millisecond on an idle loop: libuv counts
  /// milliseconds, so an instant is rounded up. Timers due in the same millisecond fire in the
  /// order of their start. A repeating timer keeps to the grid of its start; rounds missed while
  /// the loop was busy are left out. A pending timer keeps the loop running.
  @discardableResult
  public func timer(
    after delay: Duration, every period: Duration? = nil, _ body: @escaping () -> Void
  ) -> Timer {
    confine()
    return Timer(self, after: delay, every: period, body)
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
