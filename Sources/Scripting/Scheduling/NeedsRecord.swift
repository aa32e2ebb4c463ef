import Commands
import LuaRuntime
import Reactive

/// The needed calls that one run or one batch has executed, so that each is executed once, even by
/// executions that the work of others starts. Confined to the loop's thread.
public final class NeedsRecord {
  enum Entry {
    case running(ScriptExecution)
    case completed
    case failed(Failure)
  }

  /// The running and completed calls.
  private var entries: [CallKey: Entry] = [:]

  /// Makes an empty record.
  public init() {}

  subscript(call: CallKey) -> Entry? { entries[call] }

  func begin(_ call: CallKey, _ script: ScriptExecution) { entries[call] = .running(script) }

  func end(_ call: CallKey, _ failure: Failure?) {
    // After a failure another attempt may be made.
    entries[call] = failure == nil ? .completed : nil
  }
}

extension ScriptExecution {
  /// Returns the failure at the end of the execution; nil if it has completed.
  func failure(at termination: Termination) -> Failure? {
    guard case .error(let error) = termination else { return nil }
    return scriptCommand.host.failure(of: error, endOf: scriptCommand.name, id)
  }
}
