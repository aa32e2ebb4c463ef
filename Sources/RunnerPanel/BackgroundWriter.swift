import Dispatch
import Platform
import RunnerCore

/// Writes bytes to a descriptor in the background, one piece after the other: whoever reads them may
/// take any time.
final class BackgroundWriter: Sendable {
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "raclette.panel.output")
  private let pieces = DispatchGroup()

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Writes a piece, and calls `done` on another thread with an error number, or 0.
  func write(_ bytes: [UInt8], _ done: @escaping @Sendable (Int32) -> Void) {
    queue.async(group: pieces) { [descriptor] in
      // The thread that is told of a broken pipe has to be one that signals can end.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      done(bytes.withUnsafeBytes { Terminal.write($0, to: descriptor) })
    }
  }

  /// Waits until all pieces are written.
  ///
  /// - Returns: false if that takes longer than a limit.
  func wait(atMost limit: Duration) -> Bool {
    let milliseconds = Int(limit / .milliseconds(1))
    return pieces.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }
}
