import EventLoop

/// Decides how many entries a worker holds: as many as it has jobs, fewer while some of them wait for
/// their command, and more only while entries are so short that the next claim would take longer.
struct ClaimPace {
  private let jobs: Int
  /// The most entries without those ahead.
  private var limit: Int
  /// The average duration of entries in seconds; nil before the first end.
  private var duration: Double?
  private var narrowed: Duration?

  /// The seconds of work that may lie ahead.
  private static let ahead = 0.05
  /// The most entries ahead.
  private static let mostAhead = 200
  /// The seconds that a turn of the executor takes about; shorter entries are handed over together.
  private static let turn = 0.001

  init(jobs: Int) {
    self.jobs = jobs
    limit = jobs
  }

  /// The most entries to hold.
  var most: Int {
    guard limit == jobs, let duration, duration < Self.ahead else { return limit }
    let ahead = Double(jobs) * Self.ahead / max(duration, 0.0001)
    return jobs + min(Int(ahead), Self.mostAhead)
  }

  /// The number of held entries from which on the next claim can wait a little.
  var least: Int { max(1, (jobs + most) / 2) }

  /// The most entries that executors have at a time.
  var mostHanded: Int {
    guard limit == jobs, let duration else { return limit }
    return duration < Self.turn ? most : min(most, jobs * 4)
  }

  mutating func ended(after seconds: Double) {
    duration = duration.map { $0 * 0.8 + seconds * 0.2 } ?? seconds
  }

  /// Nothing is left to execute: what comes next may take any time.
  mutating func rest() { duration = nil }

  /// Some of what was claimed cannot begin, while `running` others run.
  mutating func narrow(to running: Int) {
    limit = max(1, min(limit, running))
    narrowed = EventLoop.now
  }

  /// Allows one more after a time in which all that is held runs.
  mutating func widen() {
    guard limit < jobs, let narrowed, EventLoop.now - narrowed > .seconds(1) else { return }
    limit += 1
    self.narrowed = EventLoop.now
  }
}
