import CLuaShims

// Userdata that hold a Lua value and no object: made, used and collected without the host, they are
// far cheaper. Code that needs an object gets a stand-in, made on demand.

extension LuaStack {
  /// Pops a value and pushes a userdata of a type that holds it. The type must be registered with a
  /// stand-in. [-1, +1] needs 6
  public func hold<Object>(as type: LuaUserdataType<Object>) {
    if rac_lua_hold(state, type.pointer) { return }
    interpreter.install(type.tag, on: self)
    rac_lua_hold(state, type.pointer)
  }

  /// Pushes a function that does the same with its argument. [-0, +1] needs 4
  public func pushHolding<Object>(_ type: LuaUserdataType<Object>) {
    let tag = type.tag
    pushFunction { call in
      call.interpreter.install(tag, on: call.stack)
      return .none
    }
    rac_lua_push_holding(state, type.pointer)
  }

  /// Pushes a function that returns true and the value that a userdata of a type holds, or false.
  /// [-0, +1] needs 2
  public func pushTaking<Object>(_ type: LuaUserdataType<Object>) {
    rac_lua_push_taking(state, type.pointer)
  }

  /// Returns the value that a userdata of a type holds; nil if it holds none. needs 2
  public func heldValue<Object>(at index: Int, _ type: LuaUserdataType<Object>) -> LuaValue? {
    guard rac_lua_push_held(state, Int32(index), type.pointer) else { return nil }
    defer { pop() }
    return value(at: -1)
  }

  @usableFromInline func standIn<Object>(
    at index: Int, _ type: LuaUserdataType<Object>
  ) -> Object? {
    guard rac_lua_is(state, Int32(index), type.pointer) else { return nil }
    let registration = interpreter.registrations.first { $0.tag == type.tag }
    return registration?.standIn?(self, index) as? Object
  }
}
