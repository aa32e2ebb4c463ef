/// The number of starts of a service after crashes in a row. It starts over once the service has been steady
/// for a while: ready, or running if nothing can tell whether it is ready.
struct CrashCount {
  private static let steadyAfter = Duration.seconds(10)

  private(set) var count = 0
  private var steadySince: Duration?

  /// How often, in a sentence; nil for never.
  var text: String? {
    switch count {
    case 0: nil
    case 1: "once"
    default: "\(count) times"
    }
  }

  mutating func add() { count += 1 }

  mutating func reset() { count = 0 }

  /// The service is steady from now on, unless it was before.
  mutating func beginSteadiness(_ now: Duration) { steadySince = steadySince ?? now }

  /// The service is steady no more.
  mutating func endSteadiness(_ now: Duration) {
    if let steadySince, now - steadySince >= Self.steadyAfter { count = 0 }
    steadySince = nil
  }
}
