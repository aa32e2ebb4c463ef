import Commands

/// What commands have needed in one run, with everything that the work of its executions executes: each
/// is executed once. On the loop's thread.
final class NeedsOfRun: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  private var executions: [String: ScriptExecution] = [:]

  /// The execution of a needed command that serves another who needs it too: one that runs or has
  /// completed.
  ///
  /// - Parameter user: what it would serve; nothing can wait for an execution that it is part of.
  func execution(of command: ScriptCommand, for user: ScriptExecution?) -> ScriptExecution? {
    guard let known = executions[command.name] else { return nil }
    switch known.execution.state {
    case .queued, .running, .completed: break
    case .failed, .cancelled: return nil
    }
    var outer = user
    while let current = outer {
      if current === known { return nil }
      outer = current.outer
    }
    return known
  }

  func add(_ execution: ScriptExecution) {
    executions[execution.command.name] = execution
  }
}
