import Commands
import LuaRuntime
import Platform
import Reactive
import RunnerCore
import Scripting

/// Tells the tracer of an audited command what belongs to it. On the loop's thread.
final class AuditMarks: HostObserver, ExecutionObserver {
  private let command: ScriptCommand
  /// The execution that is audited, once it has begun.
  private var execution: Int?

  init(_ command: ScriptCommand) { self.command = command }

  func hostExecutes(
    _ execution: Execution<LuaValue, LuaValue>, of command: ScriptCommand, within origin: Int
  ) -> Bool {
    // What it needs has ended by then, and what it executes itself is inside it.
    guard self.execution == nil || self.execution == origin, command === self.command else {
      return false
    }
    self.execution = origin
    execution.states.subscribe(completed: onLoop { AuditMark.end.tell() })
    return false
  }

  /// What the functions of the definition read before counts by what they return.
  func hostBeginsWork(
    of command: ScriptCommand, within origin: Int, because changes: [UpToDateChange]
  ) {
    guard command === self.command, execution == nil || execution == origin else { return }
    execution = origin
    AuditMark.begin.tell()
  }

  func hostBeganGroup(_ leader: Int32, of execution: Int?) {
    let isAudited = execution != nil && execution == self.execution
    AuditMark.group(leader, isAudited: isAudited).tell()
  }

  func hostFoundModule(_ path: String) { AuditMark.module(path).tell() }
}
