import Synchronization

/// Lines noted by closures of a test, in order.
final class Log: Sendable {
  private let stored = Mutex<[String]>([])

  var lines: [String] { stored.withLock { $0 } }

  func add(_ line: String) {
    stored.withLock { $0.append(line) }
  }
}
