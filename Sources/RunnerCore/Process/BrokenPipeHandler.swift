import Synchronization

import Platform

/// Ends the run when the reader of standard output has closed it, like any program on the left of
/// `| head`.
///
/// SIGPIPE must not kill the event loop, because children may close their input at any time. But a
/// script that prints to a pipe without a reader would then never notice.
package enum BrokenPipeHandler {
  private static let hasBroken = Atomic<Bool>(false)

  private static let output = Atomic<Int32>(STDOUT_FILENO)

  /// The descriptor for values.
  static var descriptor: Int32 {
    get { output.load(ordering: .relaxed) }
    set { output.store(newValue, ordering: .relaxed) }
  }

  /// True if the pipe is broken.
  package static var isBroken: Bool { hasBroken.load(ordering: .relaxed) }

  /// Turns SIGPIPE for standard output into SIGTERM, which stops all work.
  static func watch() {
    hasBroken.store(false, ordering: .relaxed)
    signal(SIGPIPE) { _ in
      let saved = errno
      var output = pollfd(fd: BrokenPipeHandler.descriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&output, 1, 0) == 1, output.revents & Int16(POLLERR | POLLHUP) != 0 {
        signal(SIGPIPE, SIG_IGN)
        BrokenPipeHandler.hasBroken.store(true, ordering: .relaxed)
        if !Interruption.hasCome { raise(SIGTERM) }
      }
      errno = saved
    }
  }
}
