import Platform
import Testing

/// The reading end of a named pipe that processes keep open as long as they live.
final class Lives: Sendable {
  private let descriptor: Int32

  init(_ path: String) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    precondition(descriptor >= 0, "the pipe cannot be opened")
  }

  deinit { close(descriptor) }

  /// Waits until no process holds it open that has held it so far; an issue if one goes on.
  func waitForEnd(sourceLocation: SourceLocation = #_sourceLocation) {
    var state = pollfd(fd: descriptor, events: 0, revents: 0)
    eventually(sourceLocation: sourceLocation) { poll(&state, 1, 0) > 0 }
  }

  /// Whether no process holds the pipe open now.
  var areOver: Bool {
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1) == 0
  }
}
