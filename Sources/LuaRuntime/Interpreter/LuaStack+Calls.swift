import CLuaShims

// Protected calls on a stack.

extension LuaStack {
  /// Pushes what `call` needs beneath the function. Then push the function and its arguments.
  /// [-0, +1]
  @inlinable public func beginCall() { rac_lua_begin_call(state) }

  /// Calls; the stack must end in `beginCall()`, the function and the arguments. Leaves the value
  /// that `beginCall()` pushed, with `results` values above it (-1: all; `top` gives their number).
  /// On an error all of it is popped. [-(arguments + 1), +results; on error -(arguments + 2), +0]
  @inlinable public func call(arguments: Int, results: Int) throws(LuaError) {
    let status = rac_lua_pcall(state, Int32(arguments), Int32(results))
    if status != LUA_OK { throw takeCallError(status: status) }
  }

  @usableFromInline func takeCallError(status: Int32) -> LuaError {
    let error = takeTopError(status: status)
    pop()
    return error
  }

  /// Pops the error value that a protected call has left. [-1, +0]
  func takeTopError(status: Int32) -> LuaError {
    if ensure(12) { return takeError(status: status) }
    pop()
    return LuaInterpreter.fullStackError
  }

  /// Converts the status of a protected operation, which left an error value, to an error.
  func check(_ status: Int32) throws(LuaError) {
    if status != LUA_OK { throw takeError(status: status) }
  }

  /// Returns Lua's `tostring`, including metamethods, run protected. [-0, +0] needs 5
  public func describe(at index: Int) throws(LuaError) -> String {
    try check(rac_lua_tostring(state, Int32(index)))
    defer { pop() }
    return string(at: -1) ?? ""
  }
}
