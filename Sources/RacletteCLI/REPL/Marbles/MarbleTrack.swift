/// What one signal has sent and when, for a diagram.
struct MarbleTrack {
  enum End {
    case completed, failed
  }

  let title: String
  private(set) var values: [(at: Duration, text: String)] = []
  private(set) var end: (at: Duration, kind: End)?
  /// Values beyond those that can be told apart anyway.
  private(set) var omitted = 0
  private static let limit = 1_000

  init(title: String) {
    self.title = title
  }

  mutating func add(_ text: String, at time: Duration) {
    if values.count < Self.limit { values.append((time, text)) } else { omitted += 1 }
  }

  mutating func finish(_ kind: End, at time: Duration) {
    end = (time, kind)
  }
}
