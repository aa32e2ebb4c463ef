import LuaRuntime

extension ScriptHost {
  /// Stops scripts from starting processes, changing files, loading native code and ending the
  /// program: an attempt raises an error that names `--trust`. Executions complete at once. This
  /// allows commands to be inspected without executing anything. Call it before the first script is
  /// loaded.
  ///
  /// Scripts may read files and the environment, and may change the environment, which ends with
  /// the process.
  ///
  /// - Parameter purpose: the activity that messages name, such as `check`.
  public func rehearse(for purpose: String) {
    isRehearsing = true
    interpreter.onTextModule = { [unowned(unsafe) self] path in noteModule(path) }
    // A sandbox grants less than a rehearsal.
    guard interpreter.confinement == nil else { return }
    interpreter.confine(
      to: Confinement(granted: Self.grantedInRehearsal, refusal: .explained) { missing, name in
        "'\(name)' would \(missing.effect), which \(purpose) does not allow; --trust allows it"
      }, hostGlobals: Self.globals)
  }

  /// The capabilities of a script that is only inspected.
  static let grantedInRehearsal = Capabilities.all
    .subtracting([.fileChanges, .processes, .exit, .unsafeCode])

  /// Returns true if a failure is a refusal of the rehearsal, rather than a fault of the script.
  public func isRefusal(_ failure: Failure) -> Bool {
    isRehearsing && interpreter.isRefusal(failure.message)
  }
}

extension Capabilities {
  /// The most telling of the effects, as a verb with its object.
  fileprivate var effect: String {
    let effects: [(Capabilities, String)] = [
      (.processes, "start a process"), (.fileChanges, "change files"),
      (.exit, "end the program"), (.unsafeCode, "reach native code"),
    ]
    return effects.first { !isDisjoint(with: $0.0) }?.1 ?? "do more"
  }
}
