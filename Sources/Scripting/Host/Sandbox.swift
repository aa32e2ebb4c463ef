import LuaRuntime

/// The restrictions for an untrusted script: no files, no processes, no environment, no network, no
/// access to the interpreter's internals, and limits on memory and time.
///
/// A sandboxed script can compute, use signals, timers and commands, read standard input, write to
/// standard output and standard error, and require Lua modules from below the program's module
/// folders. Lua cannot stop a single operation inside C, such as a pattern match; a program that
/// has to be safe from that ends itself, see `LuaInterpreter.onStuck`.
public struct Sandbox: Sendable {
  /// The memory that Lua may hold, in bytes, unless the host sets its own limit.
  public var memoryLimit = 256 << 20
  /// The time that Lua code may run without a pause, unless the host sets its own limit.
  public var timeLimit = Duration.seconds(10)

  /// Makes a sandbox with the default limits.
  public init() {}

  /// The capabilities of a sandboxed script.
  public static let granted: Capabilities = [.time, .input, .output]

  /// Removes everything that is not granted; call it before the first script is loaded.
  func close(_ interpreter: LuaInterpreter) {
    interpreter.confine(
      to: Confinement(granted: Self.granted, refusal: .absent) { _, name in
        "'\(name)' is not available in the sandbox"
      }, hostGlobals: ScriptHost.globals)
  }
}

extension ScriptHost {
  /// Throws, with the place of the calling script, unless scripts have the capabilities that a
  /// function needs.
  ///
  /// - Parameter name: the function as scripts write it.
  func demand(_ needs: Capabilities, for name: String) throws {
    do { try interpreter.demand(needs, for: name) } catch {
      throw LuaError(placeOfCall().map { "\($0): \(error)" } ?? error.description)
    }
  }

  /// Makes the same check for a call of a library function. If refusals explain themselves, as in a
  /// rehearsal, a function that returns a signal may still make it: a signal has its effects when
  /// it is subscribed.
  func demandAtCall(
    _ needs: Capabilities, of function: APIFunction, _ name: String
  ) throws {
    if interpreter.confinement?.refusal == .explained, function.returnsSignal { return }
    try demand(needs, for: name)
  }
}
