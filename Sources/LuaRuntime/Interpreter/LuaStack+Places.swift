import CLuaShims
import Platform

/// Where scripts stand, for messages.
extension LuaStack {
  /// `file:line` of the innermost line of a script that runs now; nil if none does. [-0, +0]
  public var placeOfCall: String? {
    withPlace { rac_lua_place_of_call(state, $0) ? String(exactly: $0) : nil }
  }

  /// `file:line` where the function at an index is defined; nil if that is not in Lua. [-0, +0] needs 1
  public func placeOfFunction(at index: Int) -> String? {
    withPlace { rac_lua_place_of_function(state, Int32(index), $0) ? String(exactly: $0) : nil }
  }

  private func withPlace<Result>(_ body: (UnsafeMutablePointer<CChar>) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(RAC_LUA_PLACE_SIZE)) {
      body($0.baseAddress!)
    }
  }
}
