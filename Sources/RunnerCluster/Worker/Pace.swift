import EventLoop

/// Limits how often something happens: a few times at once, so that what is rare is not delayed, and
/// so many times a second in the long run.
struct Pace {
  let burst: Double
  var perSecond: Double
  /// How many times were left when the last was used.
  private var left: Double
  private var used = EventLoop.now

  init(burst: Double, perSecond: Double) {
    self.burst = burst
    self.perSecond = perSecond
    left = burst
  }

  private var count: Double {
    min(burst, left + (EventLoop.now - used) / .seconds(1) * perSecond)
  }

  var isFree: Bool { count >= 1 }

  /// The time until it is free, at least a tenth of the period.
  var wait: Duration { .seconds(max(0.1, 1 - count) / perSecond) }

  mutating func use() {
    left = max(0, count - 1)
    used = EventLoop.now
  }
}
