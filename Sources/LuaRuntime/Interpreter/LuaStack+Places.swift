import CLuaShims
import Platform

/// Positions in scripts, for messages.
extension LuaStack {
  /// The `file:line` of the innermost running line of a script; nil if none runs. [-0, +0]
  public var placeOfCall: String? {
    withPlace { rac_lua_place_of_call(state, $0) ? String(exactly: $0) : nil }
  }

  /// The `file:line` of the innermost running line of a file itself, outside its functions; nil if none
  /// runs in this coroutine. [-0, +0]
  public var placeInChunk: String? {
    withPlace { rac_lua_place_in_chunk(state, $0) ? String(exactly: $0) : nil }
  }

  /// Returns the `file:line` where the function at an index is defined; nil if it is not in Lua.
  /// [-0, +0] needs 1
  public func placeOfFunction(at index: Int) -> String? {
    withPlace { rac_lua_place_of_function(state, Int32(index), $0) ? String(exactly: $0) : nil }
  }

  /// Returns the first result of `find` for the running frames, from the innermost one outwards: it
  /// gets the name of a frame's chunk at loading, and true for the chunk itself rather than a
  /// function in it. [-0, +0]
  public func firstFrame<Result>(
    _ find: (_ source: String, _ isChunk: Bool) -> Result?
  ) -> Result? {
    var frame = rac_lua_script_frame()
    var level: Int32 = 0
    while rac_lua_script_frame_at(state, level, &frame) {
      if let source = frame.source, let result = find(String(exactly: source), frame.is_chunk) {
        return result
      }
      level += 1
    }
    return nil
  }

  /// True if a `pcall` or `xpcall` of the running coroutine catches an error that is raised now.
  /// [-0, +0] needs 1
  public var isProtected: Bool { rac_lua_is_protected(state) }

  private func withPlace<Result>(_ body: (UnsafeMutablePointer<CChar>) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(RAC_LUA_PLACE_SIZE)) {
      body($0.baseAddress!)
    }
  }
}
