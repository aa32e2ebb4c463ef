/// What one run has executed because something needs it, so that each command is executed once, also
/// for executions that the work of others starts. On the loop's thread.
final class NeedsRecord: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  enum Entry {
    case running(ScriptExecution)
    case completed
  }

  /// By the names of commands. What has failed is forgotten, so that another attempt may be made.
  private var entries: [String: Entry] = [:]

  subscript(command: ScriptCommand) -> Entry? { entries[command.name] }

  func begin(_ script: ScriptExecution) { entries[script.command.name] = .running(script) }

  func end(_ script: ScriptExecution, isCompleted: Bool) {
    entries[script.command.name] = isCompleted ? .completed : nil
  }
}
