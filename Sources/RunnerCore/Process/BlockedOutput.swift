import Platform

/// Abandons blocked output when a signal requests the end: a write that waits for a reader must not
/// prevent the run from ending.
package enum BlockedOutput {
  /// Redirects the streams that cannot be written now to the null device. A blocked write continues
  /// there as soon as the current signal has interrupted it. Async-signal-safe.
  static func abandon() {
    abandon(BrokenPipeHandler.descriptor, after: 0)
    abandon(STDOUT_FILENO, after: 0)
    abandon(STDERR_FILENO, after: 0)
  }

  /// Called before a write after that signal: the reader may only be slow.
  static func abandonIfStuck(_ descriptor: Int32) {
    if Interruption.hasCome { abandon(descriptor, after: 100) }
  }

  private static func abandon(_ descriptor: Int32, after milliseconds: Int32) {
    var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    var count: Int32
    repeat { count = poll(&state, 1, milliseconds) } while count < 0 && errno == EINTR
    guard count == 0 else { return }
    let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nowhere >= 0 else { return }
    dup2(nowhere, descriptor)
    close(nowhere)
  }
}
