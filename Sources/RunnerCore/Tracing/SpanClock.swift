import Platform

/// The times of the spans of one process: the time of day as it was when the trace began, and what has
/// passed since. No two are equal and none is before an earlier one, although the time of day may be
/// set back and may be coarse: viewers order spans by them.
struct SpanClock {
  private let begin: Int64
  private let beginSinceBoot: Duration
  private var last: Int64 = .min
  private let sinceBoot: () -> Duration

  /// - Parameters:
  ///   - begin: nanoseconds since 1970.
  ///   - sinceBoot: reads the clock that nobody sets.
  init(
    begin: Int64 = WallClock.nanoseconds, sinceBoot: @escaping () -> Duration = { BootClock.now }
  ) {
    self.begin = begin
    self.sinceBoot = sinceBoot
    beginSinceBoot = sinceBoot()
  }

  /// Nanoseconds since 1970, later than any that was read before.
  ///
  /// - Parameter moment: what the clock that nobody sets read then; nil for now.
  mutating func read(_ moment: Duration? = nil) -> Int64 {
    let time = (moment ?? sinceBoot()) - beginSinceBoot
    last = max(last + 1, begin + Int64(time / .nanoseconds(1)))
    return last
  }
}
