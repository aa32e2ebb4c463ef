import CLuaShims
import Platform

extension LuaInterpreter {
  /// The errno of the first text that `print` could not write, in any interpreter; 0 if there is
  /// none.
  public static var printFailure: Int32 { rac_lua_print_failure() }

  /// The output streams of scripts.
  public enum OutputStream: Sendable {
    case output, errors
  }

  /// Redirects what scripts print and write to Lua's standard output and standard error to `body`,
  /// instead of the process's streams. Programs that `os.execute` starts are not affected.
  ///
  /// - Parameters:
  ///   - byLine: true to buffer output until its line ends; long lines are passed on in pieces.
  ///   - body: called while Lua code runs, so it must not run Lua code itself.
  /// - Throws: an errno's text.
  public func redirectOutput(
    byLine: Bool = true, _ body: @escaping (OutputStream, UnsafeRawBufferPointer) -> Void
  ) throws(LuaError) {
    guard let host = lifetime.confinedHost else { throw Self.closedError }
    outputSink = body
    let code = rac_lua_redirect_output(host, byLine) { owner, descriptor, bytes, count in
      guard let owner else { return }
      Unmanaged<LuaInterpreter>.fromOpaque(owner)._withUnsafeGuaranteedRef {
        $0.outputSink?(
          descriptor == 1 ? .output : .errors, UnsafeRawBufferPointer(start: bytes, count: count))
      }
    }
    guard code == 0 else {
      throw LuaError("cannot redirect the output: \(systemErrorText(code))")
    }
  }

  /// Passes on the output of an unfinished line.
  public func flushOutput() {
    if let host = lifetime.confinedHost { rac_lua_flush_output(host) }
  }
}
