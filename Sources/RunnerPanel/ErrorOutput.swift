import Platform
import RunnerCore
import Synchronization

/// Writes the messages of a panel to standard error in the background: a program that does not read them
/// stops nothing, and is sent the number of bytes that it has missed. On the main thread.
final class ErrorOutput {
  /// The most bytes that wait to be written.
  private static let most = 1 << 20
  /// The time that a program which reads nothing has at the end.
  private static let patience = Duration.seconds(2)

  private let writer = BackgroundWriter(STDERR_FILENO)
  private let pending = PendingBytes()
  private var missed = 0
  private var isActive = false

  /// Takes all messages from now on.
  func begin() {
    isActive = true
    Terminal.writers.errors = { [unowned self] in write($0) }
  }

  deinit { finish() }

  private func write(_ bytes: [UInt8]) {
    guard pending.count.withLock({ $0 }) < Self.most else {
      missed += bytes.count
      return
    }
    countMissed()
    put(bytes)
  }

  private func countMissed() {
    guard missed > 0 else { return }
    let text = "raclette: \(missed) bytes of messages were left out, because nobody read them\n"
    missed = 0
    put(Array(text.utf8))
  }

  private func put(_ bytes: [UInt8]) { Self.put(bytes, pending, writer) }

  private static func put(_ bytes: [UInt8], _ pending: PendingBytes, _ writer: BackgroundWriter) {
    pending.count.withLock { $0 += bytes.count }
    writer.write(bytes) { [pending] _ in pending.count.withLock { $0 -= bytes.count } }
  }

  /// Writes what is left, unless nobody reads it; messages are written at once again.
  func finish() {
    guard isActive else { return }
    isActive = false
    Terminal.writers.errors = nil
    countMissed()
    guard !writer.wait(atMost: Self.patience) else { return }
    // What comes now is written if somebody reads again before the program ends.
    Terminal.writers.errors = { [writer, pending] bytes in
      if pending.count.withLock({ $0 }) < Self.most { Self.put(bytes, pending, writer) }
    }
  }

  private final class PendingBytes: Sendable {
    let count = Mutex(0)
  }
}
