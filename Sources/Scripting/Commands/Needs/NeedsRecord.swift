/// The needed commands that one run has executed, so that each command is executed once, even by
/// executions that the work of others starts. Confined to the loop's thread.
final class NeedsRecord: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  enum Entry {
    case running(ScriptExecution)
    case completed
  }

  /// The entries by command name. A failed execution is removed, so that another attempt can be
  /// made.
  private var entries: [String: Entry] = [:]

  subscript(command: ScriptCommand) -> Entry? { entries[command.name] }

  func begin(_ script: ScriptExecution) { entries[script.command.name] = .running(script) }

  func end(_ script: ScriptExecution, isCompleted: Bool) {
    entries[script.command.name] = isCompleted ? .completed : nil
  }
}
