import EventLoop

/// The answer of a probe.
enum ProbeAnswer: Sendable, Equatable {
  /// It is as it should be.
  case yes(String)
  /// It is not, for a reason that may pass.
  case no(String)
  /// Something else is in its place, which the service cannot change.
  case taken(String)

  /// The answer as the end of a sentence: `nothing listens on port 5432`.
  var text: String {
    switch self {
    case .yes(let text), .no(let text), .taken(let text): text
    }
  }

  var isYes: Bool { if case .yes = self { true } else { false } }
}

/// The time from one question of a probe to the next: short while one waits for a change to true, and
/// longer the longer that takes; once a second afterwards.
struct ProbePace {
  /// When the wait for true has begun, on the clock of the loop; nil while it is true.
  private var waitingSince: Duration?

  private static let (shortest, longest) = (Duration.milliseconds(10), Duration.milliseconds(250))

  init(now: Duration) { waitingSince = now }

  /// Returns the time of the next question: the same for all that are true.
  mutating func next(after isTrue: Bool, now: Duration) -> Duration {
    guard !isTrue else {
      waitingSince = nil
      return EventLoop.nextSecond(after: now)
    }
    let since = waitingSince ?? now
    waitingSince = since
    return now + min(max((now - since) / 10, Self.shortest), Self.longest)
  }
}
