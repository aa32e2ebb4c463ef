import CLuaShims

// Functions of which Lua has only numbers until it calls them, so that a script does not pay at start
// for functions that it does not use.

extension LuaStack {
  /// Sets functions as fields of the table on top. Their bodies and the names in errors about their
  /// arguments come from the interpreter's `lateFunction` when they are first called. [-0, +0] needs 4
  ///
  /// - Parameters:
  ///   - names: the names of the fields, separated by spaces or line breaks.
  ///   - first: the number of the first function; the others follow.
  public func setLateFunctions(_ names: StaticString, from first: Int) {
    assert(type(at: -1) == .table)
    names.utf8Start.withMemoryRebound(to: CChar.self, capacity: names.utf8CodeUnitCount + 1) {
      rac_lua_set_late_functions(state, $0, Int64(first))
    }
  }
}

extension LuaHostFunction {
  static let make: @convention(c) (OpaquePointer?, Int64) -> UnsafeMutableRawPointer? = {
    state, number in
    guard let state else { return nil }
    let stack = LuaStack(state)
    guard let function = stack.interpreter.lateFunction?(Int(number)) else { return nil }
    stack.push(function.name)
    return Unmanaged.passRetained(LuaHostFunction(function.body)).toOpaque()
  }
}
