import LuaRuntime

extension ScriptHost {
  /// From now on scripts start no process, change no file, load no native code and do not end the
  /// program: what would do so raises an error that names `--trust`. Executions complete at once. For
  /// looking at commands without executing anything. To be called before the first script is loaded.
  ///
  /// Reading files and the environment is allowed, and so are changes of the environment, which end
  /// with the process.
  ///
  /// - Parameter purpose: what the messages say is under way, such as `check`.
  public func rehearse(for purpose: String) {
    isRehearsing = true
    // A sandbox grants less than a rehearsal.
    guard interpreter.confinement == nil else { return }
    interpreter.confine(
      to: Confinement(granted: Self.grantedInRehearsal, refusal: .explained) { missing, name in
        "'\(name)' would \(missing.effect), which \(purpose) does not allow; --trust allows it"
      }, hostGlobals: Self.globals)
  }

  /// The effects that a script may have while it is only looked at.
  static let grantedInRehearsal = Capabilities.all
    .subtracting([.fileChanges, .processes, .exit, .unsafeCode])

  /// Whether a failure is a refusal of the rehearsal, rather than a fault of the script.
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
