import LuaRuntime

extension ScriptHost {
  /// Asks for the confirmation of a call whose command wants one, before anything is executed for
  /// it.
  ///
  /// - Throws: `Failure` if it is not confirmed.
  func confirm(_ command: ScriptCommand, _ input: LuaValue) throws(Failure) {
    guard command.confirmation != nil, let onConfirm else { return }
    try onConfirm(Plan.Call(command, input))
  }
}
