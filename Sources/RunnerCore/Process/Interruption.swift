import CSignals
import EventLoop
import Platform

/// The OS signals that end a run: the first requests the end, the second forces it unless it belongs to
/// the same request.
///
/// The event loop handles the first. The second must not wait for the loop or for Lua code that may
/// block the clean-up, so the signal handler itself handles it.
package enum Interruption {
  package static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// The first signal received since `watch()`: SIGPIPE if the reader of standard output has gone.
  static var signal: Int32? {
    let signal = csignals_end()
    guard signal != 0 else { return nil }
    return BrokenPipeHandler.isBroken ? SIGPIPE : signal
  }

  /// True if a signal was received since `watch()`.
  package static var hasCome: Bool { signal != nil }

  /// True if the parent process has made the program ignore a signal, as `nohup` does with SIGHUP.
  static func isUnwanted(_ signal: Int32) -> Bool {
    signal == SIGHUP && isIgnored(signal)
  }

  /// Makes a signal request the end, besides what its current handler does.
  static func watch(_ signal: Int32) {
    csignals_reset_end()
    csignals_add(signal, CSIGNALS_ENDS)
  }

  /// True if a signal that comes a time after the first one belongs to the same request, whoever sends it:
  /// programs pass on what the terminal has sent already, and a terminal that closes sends SIGHUP twice.
  static func isSameRequest(_ signal: Int32, as first: Int32, after time: Duration) -> Bool {
    csignals_is_repetition(signal, first, Int64(time / .milliseconds(1)))
  }

  /// True for such a signal, and for one by timeout(1), which signals its child and then the group that its
  /// child is in.
  package static func isRepetition(
    _ signal: Int32, of first: Int32, after time: Duration
  ) -> Bool {
    isSameRequest(signal, as: first, after: time)
      || csignals_is_repeated_by_timeout(Int64(time / .milliseconds(1)))
  }

  /// Closes the event loop that the signals are passed on to. After a request to end, one that comes
  /// later, while the program exits, changes neither its status nor what it has yet to write.
  static func outlive(_ loop: EventLoop) {
    guard hasCome else { return loop.close() }
    var blocked = sigset_t()
    var former = sigset_t()
    sigemptyset(&blocked)
    for signal in signals { sigaddset(&blocked, signal) }
    pthread_sigmask(SIG_BLOCK, &blocked, &former)
    loop.close()
    csignals_outlive_handlers()
    pthread_sigmask(SIG_SETMASK, &former, nil)
  }

  /// Leaves the end that a second signal forces to the program, which calls `force` once it has told
  /// other processes, or to the signal handler again.
  package static func leaveForce(toProgram isLeft: Bool) { csignals_leave_force(isLeft) }

  /// Ends the program at once, with all of its processes.
  package static func force() -> Never {
    csignals_force_end()
    fatalError("the program has not ended")
  }
}
