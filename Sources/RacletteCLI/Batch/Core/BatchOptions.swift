import Platform

/// How a batch is executed.
struct BatchOptions: Sendable {
  /// How many executions may run at a time.
  var jobs: Int
  /// Whether the first failure ends the batch.
  var failsFast = false
  /// How long each execution may take, with all its attempts; nil for what its command says.
  var timeout: Duration?
  /// How often a failed execution is tried again; nil for what its command says.
  var retries: Int?
  /// How long a command that is not enabled is waited for.
  var enabledTimeout = Duration.seconds(60)
  /// What says how scripts are confined.
  let confinement: CommandLine

  /// As many as there are processors.
  static var defaultJobs: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
