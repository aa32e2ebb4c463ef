import Synchronization

/// What the program does while another one holds a journal. SQLite waits inside of a call, on
/// whatever thread makes it, while the event loop may be blocked.
public enum JournalWait {
  /// The time after which a wait is reported, and can be ended.
  static let untold = Duration.seconds(1)

  private struct Handler: Sendable {
    var tell: @Sendable (String) -> Void = { _ in }
    var isEndRequested: @Sendable () -> Bool = { false }
  }

  private static let handler = Mutex(Handler())

  /// Sets what happens during a wait. From any thread.
  ///
  /// - Parameters:
  ///   - tell: called once for a wait that has taken a second, with the path of the journal.
  ///   - isEndRequested: returns true to end such a wait with `JournalError.busy`.
  public static func follow(
    tell: @escaping @Sendable (String) -> Void, isEndRequested: @escaping @Sendable () -> Bool
  ) {
    handler.withLock { $0 = Handler(tell: tell, isEndRequested: isEndRequested) }
  }

  static func tell(_ path: String) { handler.withLock { $0.tell }(path) }

  static var isEndRequested: Bool { handler.withLock { $0.isEndRequested }() }
}
