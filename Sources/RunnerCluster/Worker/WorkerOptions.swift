import EventLoop
import Platform
import RunnerCore
import Scripting

/// The settings of a worker.
package struct WorkerOptions: Sendable {
  /// The name by which messages and events call it.
  package var name: String
  /// The maximum number of concurrent executions.
  package var jobs = ExecutionScheduler.defaultJobs
  /// What it offers; it claims only entries whose tags are among these.
  package var tags: [String] = []
  /// The amounts that it offers, over all batches, and the options that say so.
  package private(set) var resources: Resources = [:]
  package private(set) var offers: [String] = []
  /// Opens sealed inputs.
  package var key: QueueKey?
  /// The address of the collector of its traces; nil for that of OpenTelemetry's variables, if any.
  package var collector: String?
  /// How long it goes on with what it executes after the signal to end.
  package var drain: Duration?
  /// True to end as soon as nothing can be claimed.
  package var isOnce = false
  /// The only batch of which it executes entries; nil for any.
  package var batch: Int64?
  /// The time after which the server gives its entries to others unless it renews its lease.
  package var lease = Duration.seconds(5)

  /// The settings with this machine's name and the process's number as the name.
  package init() {
    name = "\(hostName):\(getpid())"
  }

  /// Offers the resources of a line.
  ///
  /// - Throws: `UsageError` for what is no resource.
  package mutating func offerResources(of line: CommandLine) throws(UsageError) {
    resources = try line.resources
    offers = line.all(.resource)
  }
}
