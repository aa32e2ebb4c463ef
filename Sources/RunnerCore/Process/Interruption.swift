import CSignals
import Platform

/// The OS signals that end a run: the first requests the end, the second forces it.
///
/// The event loop handles the first. The second must not wait for the loop or for Lua code that may
/// block the clean-up, so the signal handler itself handles it.
package enum Interruption {
  package static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// The first signal received since `watch()`.
  static var signal: Int32? {
    let signal = csignals_end()
    return signal == 0 ? nil : signal
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

  /// True if a signal that comes a time after an equal one is its repetition: timeout(1) signals its child
  /// and then the group that its child is in.
  package static func isRepeatedByTimeout(after time: Duration) -> Bool {
    csignals_is_repeated_by_timeout(Int64(time / .milliseconds(1)))
  }

  /// Leaves the end that a second signal forces to the program, which calls `force` once it has told
  /// other processes, or to the signal handler again.
  package static func leaveForce(toProgram isLeft: Bool) { csignals_leave_force(isLeft) }

  /// Ends the program at once, with all of its processes.
  package static func force() -> Never {
    csignals_force_end()
    fatalError("the program has not ended")
  }

  /// Records that the first signal has begun to take effect, so that another one forces the end.
  static func answer() {
    csignals_withdraw_turn()
    csignals_answer_end()
  }
}
