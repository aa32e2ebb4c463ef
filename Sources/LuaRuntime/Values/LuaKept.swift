import CLuaShims

/// A value that the host keeps in an interpreter under a number: a `LuaReference` without an object.
/// The code that keeps it lets it go, once; nothing may use it after that.
public struct LuaKept: Sendable {
  @usableFromInline let id: Int32
}

extension LuaStack {
  /// Pops the top value and keeps it. [-1, +0] needs 1
  public func keep() -> LuaKept { LuaKept(id: rac_lua_ref(state)) }

  /// Pushes a kept value. [-0, +1] needs 1
  public func push(_ kept: LuaKept) { rac_lua_push_ref(state, kept.id) }
}

extension LuaInterpreter {
  /// Lets a kept value go; does nothing once the interpreter has closed.
  public func release(_ kept: LuaKept) { lifetime.release(kept.id) }
}
