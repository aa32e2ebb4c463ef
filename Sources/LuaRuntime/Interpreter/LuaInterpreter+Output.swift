import CLuaShims
import Platform

extension LuaInterpreter {
  /// True if the latest text that a script has sent to the process's standard error, since the last
  /// call, left its line open, and false if it ended it; nil if there was none.
  public static func takeOpenErrorLine() -> Bool? { isOpen(rac_lua_take_error_line()) }

  /// True if what waits in the buffer of standard output leaves its line open; nil if nothing waits.
  public static var hasOpenOutputLine: Bool? { isOpen(rac_lua_pending_output_line()) }

  private static func isOpen(_ line: rac_lua_line) -> Bool? {
    switch line {
    case RAC_LUA_LINE_OPEN: true
    case RAC_LUA_LINE_ENDED: false
    default: nil
    }
  }

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
