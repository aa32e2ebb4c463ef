import RunnerCore

/// The events of one signal and their times, for a diagram.
struct MarbleTrack {
  enum End {
    case completed, failed
  }

  let title: String
  private(set) var values: [(at: Duration, text: String)] = []
  private(set) var end: (at: Duration, kind: End)?

  /// The number of values drawn in one column; one more is kept to show that there were more.
  static let marblesPerColumn = 8
  /// More columns than any screen has.
  private static let buckets = 512
  /// The number of values at which they are thinned out, which leaves at most half of them.
  private static let limit = 2 * buckets * (marblesPerColumn + 1)

  init(title: String) {
    self.title = title
  }

  mutating func add(_ text: String, at time: Duration) {
    values.append((time, text))
    if values.count >= Self.limit { thinOut() }
  }

  mutating func finish(_ kind: End, at time: Duration) {
    end = (time, kind)
  }

  /// Drops values that no drawing would show, because the axis only grows.
  private mutating func thinOut() {
    guard let last = values.last else { return }
    let bucket = max(last.at / Self.buckets, .nanoseconds(1))
    var number = -1.0
    var count = 0
    values = values.filter { value in
      let own = (value.at / bucket).rounded(.down)
      count = own == number ? count + 1 : 1
      number = own
      return count <= Self.marblesPerColumn + 1
    }
  }
}
