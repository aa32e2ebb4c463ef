import CSignals
import Platform

/// Ends the run when the reader of standard output has closed it, like any program on the left of
/// `| head`.
///
/// SIGPIPE must not kill the event loop, because children may close their input at any time. But a
/// script that prints to a pipe without a reader would then never notice.
package enum BrokenPipeHandler {
  /// The descriptor for values.
  static var descriptor: Int32 {
    get { csignals_value_output() }
    set { csignals_set_value_output(newValue) }
  }

  /// True if the pipe is broken.
  package static var isBroken: Bool { csignals_is_pipe_broken() }

  /// Turns SIGPIPE for standard output into SIGTERM, which stops all work.
  static func watch() { csignals_watch_pipe() }

  /// Leaves it to those who write that nobody reads any more: no work is left to stop.
  static func end() { signal(SIGPIPE, SIG_IGN) }
}
