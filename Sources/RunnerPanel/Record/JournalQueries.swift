import Journal
import Reactive
import Synchronization

/// Answers questions about a journal in the background: long ones have millions of executions.
final class JournalQueries: Sendable {
  private let path: String
  private let scheduler = QueueScheduler(named: "raclette.panel.history")
  /// Opened by the first question; it stays open, as the recorder's connection does.
  private let journal = Mutex<Journal?>(nil)

  init(_ path: String) { self.path = path }

  /// Looks for the latest executions of a command that have ended, and passes them to `answer`, on
  /// another thread, the latest first.
  func ended(
    of command: String, since begin: Double, limit: Int,
    _ answer: @escaping @Sendable (Result<[RecordedExecution], JournalError>) -> Void
  ) {
    scheduler.schedule { [self] in
      answer(
        Result { () throws(JournalError) in
          try opened().ended(of: command, since: begin, limit: limit)
        })
    }
  }

  /// Closes the journal, once the present question is answered. A later one opens it again.
  func close() {
    let journal = journal.withLock { $0.take() }
    journal?.close()
  }

  private func opened() throws(JournalError) -> Journal {
    try journal.withLock { known throws(JournalError) in
      if let known { return known }
      let opened = try Journal(path, isCreated: false)
      known = opened
      return opened
    }
  }
}
