import Commands
import LuaRuntime
import Scripting

/// The executions of runs whose calls were confirmed before the run began, until their work begins.
struct ConfirmedExecutions {
  private var pending: [(execution: Execution<LuaValue, LuaValue>, call: Plan.Call)] = []

  mutating func add(_ execution: Execution<LuaValue, LuaValue>, _ call: Plan.Call) {
    pending.removeAll { $0.execution.state.isEnded }
    if call.command.mayAsk { pending.append((execution, call)) }
  }

  /// Uses the confirmation of an execution whose work begins now.
  ///
  /// - Returns: false if no run has confirmed it.
  mutating func take(_ call: Plan.Call) -> Bool {
    // One that is queued does not begin now, so the call is another one.
    let index = pending.firstIndex {
      $0.execution.state == .running && $0.call.key == call.key
    }
    guard let index else { return false }
    pending.remove(at: index)
    return true
  }
}
