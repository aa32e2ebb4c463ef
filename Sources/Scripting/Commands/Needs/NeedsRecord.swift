import Commands
import LuaRuntime
import Reactive

/// The needed calls that one run or one batch has executed, so that each is executed once, even by
/// executions that the work of others starts. Confined to the loop's thread.
public final class NeedsRecord: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  enum Entry {
    case running(ScriptExecution)
    case completed
  }

  /// A failed execution is removed, so that another attempt can be made.
  private var entries: [CallKey: Entry] = [:]

  /// Makes an empty record.
  public init() {}

  subscript(call: CallKey) -> Entry? { entries[call] }

  func begin(_ call: CallKey, _ script: ScriptExecution) { entries[call] = .running(script) }

  func end(_ call: CallKey, isCompleted: Bool) { entries[call] = isCompleted ? .completed : nil }

  /// Follows the execution of a call that has begun or has completed.
  ///
  /// - Parameter onEnd: called with the failure, if there is one; at once if it has completed.
  /// - Returns: false if the call is to be executed.
  public func follow(_ call: CallKey, _ onEnd: @escaping @Sendable (Failure?) -> Void) -> Bool {
    switch entries[call] {
    case nil: return false
    case .completed: onEnd(nil)
    case .running(let script):
      script.execution.observe(
        Observer { onEnd(script.failure(at: $0)) }, in: CompoundDisposable())
    }
    return true
  }

  /// Records an execution as that of a needed call until it fails.
  func record(_ call: CallKey, _ script: ScriptExecution) {
    begin(call, script)
    script.execution.observe(
      Observer { termination in
        self.end(call, isCompleted: script.failure(at: termination) == nil)
      }, in: CompoundDisposable())
  }
}

extension ScriptExecution {
  /// Returns the failure at the end of the execution; nil if it has completed.
  func failure(at termination: Termination) -> Failure? {
    guard case .error(let error) = termination else { return nil }
    return command.host.failure(of: error, endOf: command.name, id)
  }
}
