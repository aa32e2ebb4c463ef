import RunnerCore
import Scripting

/// The settings of a batch.
package struct BatchOptions: Sendable {
  /// The maximum number of concurrent executions.
  package var jobs: Int
  /// True if the first failure ends the batch.
  package var failsFast = false
  /// The time limit of each execution with all its attempts; nil for that of its command.
  package var timeout: Duration?
  /// The number of retries of a failed execution; nil for that of its command.
  package var retries: Int?
  /// The time limit of the wait for a command that is not enabled.
  package var enabledTimeout = Duration.seconds(60)
  /// The options that confine scripts.
  package let confinement: CommandLine

  /// The settings of the batch's scheduler.
  func scheduling(
    mayStart: @escaping () -> Bool, onWait: @escaping (ScriptCommand) -> Void
  ) -> ExecutionScheduler.Options {
    var result = ExecutionScheduler.Options()
    result.jobs = jobs
    result.timeout = timeout
    result.retries = retries
    result.streaming = ExecutionScheduler.Streaming(
      enabledTimeout: enabledTimeout, onWait: onWait, mayStart: mayStart)
    return result
  }
}

extension BatchOptions {
  /// The settings that options choose.
  package init(_ line: CommandLine) {
    self.init(jobs: line.count(.jobs) ?? ExecutionScheduler.defaultJobs, confinement: line)
    failsFast = line.has(.failFast)
    timeout = line.duration(.timeout)
    retries = line[.retries].flatMap { Int($0) }
    enabledTimeout = line.duration(.enabledTimeout) ?? enabledTimeout
  }
}
