/// The needed calls that one run has executed, so that each is executed once, even by executions
/// that the work of others starts. Confined to the loop's thread.
final class NeedsRecord: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  enum Entry {
    case running(ScriptExecution)
    case completed
  }

  /// A failed execution is removed, so that another attempt can be made.
  private var entries: [CallKey: Entry] = [:]

  subscript(call: CallKey) -> Entry? { entries[call] }

  func begin(_ call: CallKey, _ script: ScriptExecution) { entries[call] = .running(script) }

  func end(_ call: CallKey, isCompleted: Bool) { entries[call] = isCompleted ? .completed : nil }
}
