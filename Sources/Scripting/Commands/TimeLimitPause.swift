import Commands
import LuaRuntime

/// The time in which an execution waits for something that others have, which its time limit does not
/// count. Confined to the loop's thread.
final class TimeLimitPause {
  private var execution: ScriptExecution?
  private let began = LuaInterpreter.now

  init(_ execution: ScriptExecution) {
    self.execution = execution
    execution.pauseTimeout()
  }

  deinit { end() }

  func end() {
    guard let execution else { return }
    self.execution = nil
    execution.extendDeadline(by: LuaInterpreter.now - began)
    execution.resumeTimeout()
  }
}
