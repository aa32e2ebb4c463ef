import Platform

/// Output that nobody takes, when a signal asks for the end: a write that waits for a reader must not
/// keep the run from ending.
enum BlockedOutput {
  /// Lets the streams that take nothing now lead nowhere. A write that is under way goes on there as soon
  /// as the signal that brought us here has interrupted it. Only does what a signal handler may.
  static func abandon() {
    abandon(BrokenPipeHandler.descriptor, after: 0)
    abandon(STDOUT_FILENO, after: 0)
    abandon(STDERR_FILENO, after: 0)
  }

  /// Before a write behind that signal: the reader may only be slow.
  static func abandonIfStuck(_ descriptor: Int32) {
    if Interruption.hasCome { abandon(descriptor, after: 100) }
  }

  private static func abandon(_ descriptor: Int32, after milliseconds: Int32) {
    var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&state, 1, milliseconds) == 0 else { return }
    let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nowhere >= 0 else { return }
    dup2(nowhere, descriptor)
    close(nowhere)
  }
}
