import RunnerCore
import Scripting

/// The settings of a batch.
struct BatchOptions: Sendable {
  /// The maximum number of concurrent executions.
  var jobs: Int
  /// True if the first failure ends the batch.
  var failsFast = false
  /// The time limit of each execution with all its attempts; nil for that of its command.
  var timeout: Duration?
  /// The number of retries of a failed execution; nil for that of its command.
  var retries: Int?
  /// The time limit of the wait for a command that is not enabled.
  var enabledTimeout = Duration.seconds(60)
  /// The options that confine scripts.
  let confinement: CommandLine

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
