import LuaRuntime

/// The bounds for a script that somebody else wrote: no files, no processes, no environment, no network,
/// nothing of the interpreter's insides, and limits of memory and time.
///
/// A sandboxed script can compute, use signals, timers and commands, read standard input, write to
/// standard output and standard error, and require Lua modules from below the places that the program
/// looks in. A single operation inside C, such as a match of a pattern, cannot be stopped by Lua; a
/// program that has to be safe from that ends itself, see `LuaInterpreter.onStuck`.
public struct Sandbox: Sendable {
  /// The memory that Lua may hold, in bytes, unless the host says otherwise.
  public var memoryLimit = 256 << 20
  /// How long Lua code may run without a pause, unless the host says otherwise.
  public var timeLimit = Duration.seconds(10)

  /// The usual limits.
  public init() {}

  /// The effects that a sandboxed script may have.
  public static let granted: Capabilities = [.time, .input, .output]

  /// Takes away what is not granted; to be called before the first script is loaded.
  func close(_ interpreter: LuaInterpreter) {
    interpreter.confine(
      to: Confinement(granted: Self.granted, refusal: .absent) { _, name in
        "'\(name)' is not available in the sandbox"
      }, hostGlobals: ScriptHost.globals)
  }
}

extension ScriptHost {
  /// Throws unless scripts may do what a function needs, with the place of the script that calls it.
  ///
  /// - Parameter name: the function as scripts write it.
  func demand(_ needs: Capabilities, for name: String) throws {
    do { try interpreter.demand(needs, for: name) } catch {
      throw LuaError(placeOfCall().map { "\($0): \(error)" } ?? error.description)
    }
  }

  /// The same for a call of a function of the library. Where refusals explain themselves, as in a
  /// rehearsal, a function that returns a signal may still make it: a signal has its effects when it
  /// is subscribed.
  func demandAtCall(
    _ needs: Capabilities, of function: APIFunction, _ name: String
  ) throws {
    if interpreter.confinement?.refusal == .explained, function.returnsSignal { return }
    try demand(needs, for: name)
  }
}
