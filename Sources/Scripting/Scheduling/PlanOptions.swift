/// Options for executing the steps of a plan.
public struct PlanOptions: Sendable {
  /// The most executions that may run at a time. If nil, requested commands run side by side, and
  /// the commands that they need run as many at a time as there are processors.
  public var jobs: Int?
  /// True if after a failure the remaining needed commands are still executed, and the next call of
  /// a sequence.
  public var keepsGoing = false
  /// The timeout of each execution, in place of its command's own.
  public var timeout: Duration?

  /// Options of one run.
  public init(jobs: Int? = nil, keepsGoing: Bool = false, timeout: Duration? = nil) {
    self.jobs = jobs
    self.keepsGoing = keepsGoing
    self.timeout = timeout
  }

  var scheduling: ExecutionScheduler.Options {
    var options = ExecutionScheduler.Options()
    options.timeout = timeout
    if let jobs {
      options.jobs = jobs
    } else {
      options.neededJobs = ExecutionScheduler.defaultJobs
    }
    return options
  }
}
