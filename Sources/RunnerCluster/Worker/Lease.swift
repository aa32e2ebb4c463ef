import Platform

/// A worker's lease, as far as the worker knows: it measures from the time at which it asked for
/// the last renewal, on a clock that goes on while the process is stopped and the machine suspended.
struct Lease {
  /// The fraction of the lease after which everything is cancelled, so that it has ended before others
  /// begin the same.
  static let safeFraction = 0.9

  let length: Duration
  private var renewed: Duration?

  init(length: Duration) { self.length = length }

  /// The time between two renewals.
  var period: Duration { length / 3 }

  var isHeld: Bool { renewed != nil }

  /// True if what the worker executes must be cancelled.
  var isOver: Bool { renewed.map(isOver(askedAt:)) ?? false }

  /// True if a lease that was asked for at a time is over.
  func isOver(askedAt time: Duration) -> Bool {
    BootClock.now - time > length * Self.safeFraction
  }

  /// The time at which what the worker executes must be cancelled.
  var deadline: Duration { (renewed ?? .zero) + length * Self.safeFraction }

  mutating func renew(askedAt time: Duration) { renewed = time }

  mutating func lose() { renewed = nil }
}
