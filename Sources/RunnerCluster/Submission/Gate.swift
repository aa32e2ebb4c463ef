import Commands
import Scripting

/// The limit of a command that counts over all workers, as the server keeps it for a lane.
struct Gate {
  /// The command's name; empty if its limit counts per worker.
  var name = ""
  /// The maximum number of executions.
  var limit = 0
  /// The command's `when_busy`.
  var policy = ""

  /// The gate of entries whose limit counts per worker.
  static let none = Gate()
}

extension Gate {
  /// The gate of a command.
  init(_ command: ScriptCommand) {
    let policy = command.policy
    self.init()
    guard policy.reach == .cluster, policy.concurrency != .unlimited else { return }
    name = command.name
    limit = policy.concurrency.count
    self.policy = policy.whenBusy.name
  }
}
