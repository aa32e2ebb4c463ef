import Platform

extension ExecutionScheduler {
  package struct Options {
    /// The most requests that may run at a time.
    package var jobs = Int.max
    /// The most needs that may run at a time.
    package var neededJobs = Int.max
    /// The timeout of each execution, in place of its command's own.
    package var timeout: Duration?
    /// The number of retries of each execution, in place of its command's own.
    package var retries: Int?
    /// How requests wait for commands; nil if they do not.
    package var streaming: Streaming?

    package init() {}
  }

  /// How the requests of a streaming source wait: for enabled commands, and for slots even where
  /// the command would queue or reject executions. Needs start before all requests, and one that
  /// has failed is not executed again.
  package struct Streaming {
    /// The time limit of the wait for a command that is not enabled.
    package var enabledTimeout: Duration
    /// Called when requests begin to wait for a command that is not enabled.
    package var onWait: (ScriptCommand) -> Void
    /// False if nothing may start any more.
    package var mayStart: () -> Bool

    package init(
      enabledTimeout: Duration, onWait: @escaping (ScriptCommand) -> Void,
      mayStart: @escaping () -> Bool
    ) {
      self.enabledTimeout = enabledTimeout
      self.onWait = onWait
      self.mayStart = mayStart
    }
  }

  /// The default number of jobs: one for each processor that the process may use, with a minimum so that
  /// a small machine can overlap network waits.
  package static let defaultJobs = {
    let least = 4
    // Which of them are granted is in several files.
    return Processors.present <= least ? least : max(least, Processors.usable)
  }()
}
