import LuaRuntime

extension ScriptHost {
  /// Makes `os.exit` call `body` with the exit status instead of ending the process, for a script
  /// that shares the process with others. An error that `body` throws is raised in the script.
  public func onExit(_ body: @escaping (Int32) throws -> Void) {
    let exit = value { stack in
      stack.pushFunction { call in
        switch call.value(at: 1) {
        case .nil, .bool(true): try body(0)
        case .bool(false): try body(1)
        default:
          // As in the system, a parent gets the lowest byte.
          try body(Int32(truncatingIfNeeded: try call.integer(at: 1) & 0xFF))
        }
        return .none
      }
    }
    interpreter.replaceMember("exit", of: "os", by: exit)
  }
}
