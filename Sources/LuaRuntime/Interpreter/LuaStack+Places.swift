import CLuaShims
import Platform

/// Positions in scripts, for messages.
extension LuaStack {
  /// The `file:line` of the innermost running line of a script; nil if none runs. [-0, +0]
  public var placeOfCall: String? {
    withPlace { rac_lua_place_of_call(state, $0) ? String(exactly: $0) : nil }
  }

  /// Returns the `file:line` where the function at an index is defined; nil if it is not in Lua.
  /// [-0, +0] needs 1
  public func placeOfFunction(at index: Int) -> String? {
    withPlace { rac_lua_place_of_function(state, Int32(index), $0) ? String(exactly: $0) : nil }
  }

  private func withPlace<Result>(_ body: (UnsafeMutablePointer<CChar>) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(RAC_LUA_PLACE_SIZE)) {
      body($0.baseAddress!)
    }
  }
}
