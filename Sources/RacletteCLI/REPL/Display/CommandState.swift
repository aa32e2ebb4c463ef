import Scripting

extension ScriptCommand {
  /// Whether it is enabled and executing now.
  var liveState: String {
    ask()
    let reason = disabledReason
    return [reason.map { "not enabled: \($0)" } ?? "enabled", isExecuting ? "executing" : nil]
      .compactMap(\.self).joined(separator: ", ")
  }
}
