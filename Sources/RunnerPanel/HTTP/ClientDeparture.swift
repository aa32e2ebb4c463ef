import EventLoop
import Platform

/// Notices that a client has closed its connection, or has died, although nothing is being sent to it.
/// On the loop's thread.
final class ClientDeparture {
  private let descriptor: Int32
  private var watch: DescriptorWatch?

  /// - Parameters:
  ///   - connection: the descriptor of the connection, of which a copy is watched.
  ///   - body: called once when the client leaves, or sends something.
  init?(of connection: Int32, on loop: EventLoop, _ body: @escaping () -> Void) {
    descriptor = fcntl(connection, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard descriptor >= 0 else { return nil }
    watch = try? loop.watchDescriptor(descriptor) { [unowned self] in
      cancel()
      body()
    }
    if watch == nil {
      close(descriptor)
      return nil
    }
  }

  func cancel() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    close(descriptor)
  }

  deinit { cancel() }
}
