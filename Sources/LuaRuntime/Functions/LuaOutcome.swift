import CLuaShims

/// The action that Lua takes for a host function once its Swift frame is gone.
public struct LuaOutcome {
  let code: Int64

  private init(kind: Int, count: Int) { code = Int64(kind) << 32 | Int64(count) }

  @usableFromInline init(results: Int) { code = Int64(results) }

  /// Returns the topmost `count` values.
  @inlinable public static func results(_ count: Int) -> LuaOutcome {
    LuaOutcome(results: count)
  }

  /// Returns nothing.
  @inlinable public static var none: LuaOutcome { LuaOutcome(results: 0) }

  /// Raises the top value.
  public static var raise: LuaOutcome { LuaOutcome(kind: RAC_LUA_RAISE_OWN, count: 0) }

  static var raiseCarried: LuaOutcome { LuaOutcome(kind: RAC_LUA_RAISE, count: 0) }

  /// Suspends the coroutine that the host drives; `count` values go to the code that resumed it.
  /// The values or the error it is resumed with become the results of this call, or are raised
  /// here. If suspending is not possible (`LuaCall.waiting`), this call raises an error that
  /// explains why.
  public static func yield(_ count: Int = 0) -> LuaOutcome {
    LuaOutcome(kind: RAC_LUA_YIELD, count: count)
  }

  /// Calls the function beneath the topmost `arguments` values and returns its results. The
  /// function may suspend.
  public static func tailCall(arguments: Int) -> LuaOutcome {
    LuaOutcome(kind: RAC_LUA_TAIL_CALL, count: arguments)
  }

  static func badArgument(_ index: Int) -> LuaOutcome {
    LuaOutcome(kind: RAC_LUA_BAD_ARGUMENT, count: index)
  }

  static func badType(_ index: Int) -> LuaOutcome {
    LuaOutcome(kind: RAC_LUA_BAD_TYPE, count: index)
  }
}
