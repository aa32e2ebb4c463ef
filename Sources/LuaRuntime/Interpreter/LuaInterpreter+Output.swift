import Platform
import CLuaShims

extension LuaInterpreter {
  /// The errno of the first text that `print` could not write, in any interpreter; 0 if there is none.
  public static var printFailure: Int32 { rac_lua_print_failure() }

  /// Where scripts write.
  public enum OutputStream: Sendable {
    case output, errors
  }

  /// Has `body` receive what scripts print and write to Lua's standard output and standard error from
  /// now on, instead of the process's streams. Programs that `os.execute` starts do not notice.
  ///
  /// - Parameters:
  ///   - byLine: whether output is kept until its line ends, but for pieces of a long one.
  ///   - body: is called while Lua code runs, which it must not do itself.
  /// - Throws: an errno's text.
  public func redirectOutput(
    byLine: Bool = true, _ body: @escaping (OutputStream, UnsafeRawBufferPointer) -> Void
  ) throws(LuaError) {
    guard let host = lifetime.host else { throw Self.closedError }
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

  /// Hands over what was written of a line that has no end yet.
  public func flushOutput() {
    if let host = lifetime.host { rac_lua_flush_output(host) }
  }
}
