import LuaRuntime

extension ScriptHost {
  /// From now on `os.exit` calls `body` with the exit status instead of ending the process, for a
  /// script that is one of several in it. What `body` throws is raised where the script stands.
  ///
  /// - Throws: `LuaError` when there is no memory for it.
  public func onExit(_ body: @escaping (Int32) throws -> Void) throws(LuaError) {
    let exit = value { stack in
      stack.pushFunction { call in
        switch call.value(at: 1) {
        case .nil, .bool(true): try body(0)
        case .bool(false): try body(1)
        default:
          // As the system does: a parent gets the lowest byte.
          try body(Int32(truncatingIfNeeded: try call.integer(at: 1) & 0xFF))
        }
        return .none
      }
    }
    // The sandbox has none.
    let source = "local exit = ... if os.exit then os.exit = exit end"
    let chunk = try interpreter.load(source, chunkName: Prelude.chunkName)
    try interpreter.call(chunk, exit)
  }
}
