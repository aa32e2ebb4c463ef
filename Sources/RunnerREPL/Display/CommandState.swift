import RunnerCore
import Scripting

extension ScriptCommand {
  /// Describes whether the command is enabled and executing now.
  var liveState: String {
    ask()
    let reason = disabledReason
    return [reason.map { "not enabled: \($0)" } ?? "enabled", isExecuting ? "executing" : nil]
      .compactMap(\.self).joined(separator: ", ")
  }
}
