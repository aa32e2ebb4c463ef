import CLuaShims
import Platform

/// A lightweight view of one Lua stack: the interpreter's, a coroutine's, or that of a running host
/// function. Valid only on the interpreter's thread, and no longer than the call or scope that
/// provided it. Indices are Lua's: from 1 upwards, or from -1 (the top) downwards.
///
/// The doc of each function gives its stack effect: `[-popped, +pushed]`. A scope has 20 free
/// slots; `ensure` makes room for more. Functions that push strings or tables may run the
/// collector, and with it `__gc` metamethods, but raise nothing.
public struct LuaStack {
  /// Lua's own handle.
  public let state: OpaquePointer

  /// Makes a view of a Lua state.
  @inlinable public init(_ state: OpaquePointer) { self.state = state }

  /// The interpreter it belongs to.
  public var interpreter: LuaInterpreter {
    Unmanaged.fromOpaque(rac_lua_owner(state)).takeUnretainedValue()
  }

  /// The index of the top value; setting it drops values or fills up with nil.
  @inlinable public var top: Int {
    get { Int(lua_gettop(state)) }
    nonmutating set { lua_settop(state, Int32(newValue)) }
  }

  /// Makes room for `slots` more values. False if Lua's stack limit is reached.
  @inlinable public func ensure(_ slots: Int) -> Bool {
    lua_checkstack(state, Int32(slots)) != 0
  }

  /// Drops values from the top. [-count, +0]
  @inlinable public func pop(_ count: Int = 1) { lua_settop(state, Int32(-count - 1)) }

  /// Returns the same position counted from the bottom.
  @inlinable public func absolute(_ index: Int) -> Int { Int(lua_absindex(state, Int32(index))) }

  /// Pushes a copy of a value. [-0, +1]
  @inlinable public func copy(from index: Int) { lua_pushvalue(state, Int32(index)) }

  /// Moves the top value to an index and shifts the values above it up. [-1, +1]
  @inlinable public func insert(at index: Int) { lua_rotate(state, Int32(index), 1) }

  /// Removes the value at an index. [-1, +0]
  @inlinable public func remove(at index: Int) {
    lua_rotate(state, Int32(index), -1)
    lua_settop(state, -2)
  }

  /// Pops the top value and replaces another with it. [-1, +0]
  @inlinable public func replace(at index: Int) {
    lua_copy(state, -1, Int32(index))
    lua_settop(state, -2)
  }

  /// Moves the topmost values to another stack of the same interpreter. [-count, +0]
  public func move(_ count: Int, to other: LuaStack) {
    lua_xmove(state, other.state, Int32(count))
  }
}

// MARK: - Pushing

extension LuaStack {
  /// [-0, +1]
  @inlinable public func pushNil() { lua_pushnil(state) }

  /// [-0, +1]
  @inlinable public func push(_ bool: Bool) { lua_pushboolean(state, bool ? 1 : 0) }

  /// [-0, +1]
  @inlinable public func push(_ integer: Int64) { lua_pushinteger(state, integer) }

  /// [-0, +1]
  @inlinable public func push(_ integer: Int) { lua_pushinteger(state, Int64(integer)) }

  /// [-0, +1]
  @inlinable public func push(_ number: Double) { lua_pushnumber(state, number) }

  /// Pushes the bytes as a string. [-0, +1]
  @inlinable public func push(_ bytes: UnsafeRawBufferPointer) {
    lua_pushlstring(state, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
  }

  /// Pushes the bytes of a text, its `exactBytes`. [-0, +1]
  public func push(_ text: String) { text.withExactBytes { push($0) } }

  /// [-0, +1]
  public func push(_ string: LuaString) { string.withUnsafeBytes { push($0) } }

  /// Pushes the value of a reference; nil if it belongs to another or a closed interpreter.
  /// [-0, +1] needs 2
  public func push(_ reference: LuaReference) {
    if reference.lifetime.host == rac_lua_of(state) {
      rac_lua_push_ref(state, reference.id)
    } else {
      lua_pushnil(state)
    }
  }

  /// [-0, +1] needs 2
  @inlinable public func push(_ value: LuaValue) {
    switch value {
    case .nil: lua_pushnil(state)
    case .bool(let bool): push(bool)
    case .integer(let integer): lua_pushinteger(state, integer)
    case .number(let number): lua_pushnumber(state, number)
    case .string(let string): push(string)
    case .reference(let reference): push(reference)
    }
  }
}

// MARK: - Reading

extension LuaStack {
  /// Returns the type of a value.
  @inlinable public func type(at index: Int) -> LuaType {
    LuaType(rawValue: lua_type(state, Int32(index))) ?? .none
  }

  /// Returns true if a value is absent or nil.
  @inlinable public func isNoneOrNil(at index: Int) -> Bool { lua_type(state, Int32(index)) <= 0 }

  /// Returns true if Lua treats a value as true.
  @inlinable public func truth(at index: Int) -> Bool { lua_toboolean(state, Int32(index)) != 0 }

  /// Returns an integer, also from an integral float or a numeral in a string, as Lua converts.
  @inlinable public func integer(at index: Int) -> Int64? {
    var isInteger: Int32 = 0
    let integer = lua_tointegerx(state, Int32(index), &isInteger)
    return isInteger != 0 ? integer : nil
  }

  /// Returns a float, also from an integer or a numeral in a string, as Lua converts.
  @inlinable public func number(at index: Int) -> Double? {
    var isNumber: Int32 = 0
    let number = lua_tonumberx(state, Int32(index), &isNumber)
    return isNumber != 0 ? number : nil
  }

  /// Calls `body` with the bytes of a string. Nil if the value is not a string; a number is not one
  /// here.
  @inlinable public func withBytes<Result, Failure: Error>(
    at index: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard lua_type(state, Int32(index)) == LUA_TSTRING else { return nil }
    var length = 0
    let bytes = lua_tolstring(state, Int32(index), &length)
    return try body(UnsafeRawBufferPointer(start: bytes, count: length))
  }

  /// Returns the text of a string, including bytes that are not UTF-8. Nil if the value is not a
  /// string.
  public func string(at index: Int) -> String? {
    withBytes(at: index) { String(exactly: $0) }
  }

  /// Returns the bytes of a string. Nil if the value is not a string.
  public func bytes(at index: Int) -> LuaString? { withBytes(at: index) { LuaString($0) } }

  /// Returns any value. Tables, functions, userdata and coroutines become references. needs 2
  @inlinable public func value(at index: Int) -> LuaValue {
    let index = Int32(index)
    switch lua_type(state, index) {
    case LUA_TNIL, LUA_TNONE: return .nil
    case LUA_TBOOLEAN: return .bool(lua_toboolean(state, index) != 0)
    case LUA_TNUMBER:
      return lua_isinteger(state, index) != 0
        ? .integer(lua_tointegerx(state, index, nil)) : .number(lua_tonumberx(state, index, nil))
    default: return heapValue(at: index)
    }
  }

  @usableFromInline func heapValue(at index: Int32) -> LuaValue {
    let type = type(at: Int(index))
    if type == .string { return .string(bytes(at: Int(index)) ?? LuaString(utf8: "")) }
    lua_pushvalue(state, index)
    return .reference(
      LuaReference(popping: self, type: type, lifetime: interpreter.lifetime))
  }

  /// Returns a table, function, userdata or coroutine, whose type is known, as a reference. needs 2
  public func reference(_ type: LuaType, at index: Int) -> LuaReference {
    lua_pushvalue(state, Int32(index))
    return LuaReference(popping: self, type: type, lifetime: interpreter.lifetime)
  }

  /// Pops and returns the topmost `count` values in order. [-count, +0] needs 2
  public func popValues(_ count: Int) -> [LuaValue] {
    guard count > 0 else { return [] }
    var values: [LuaValue] = []
    values.reserveCapacity(count)
    let first = top - count + 1
    for index in first..<(first + count) { values.append(value(at: index)) }
    pop(count)
    return values
  }

  /// Returns true if two values are equal without metamethods.
  public func rawEqual(_ first: Int, _ second: Int) -> Bool {
    lua_rawequal(state, Int32(first), Int32(second)) != 0
  }

  /// Returns true if a value's metatable has a field.
  public func hasMetafield(_ name: String, at index: Int) -> Bool {
    guard luaL_getmetafield(state, Int32(index), name) != LUA_TNIL else { return false }
    pop()
    return true
  }
}

extension LuaStack {
  /// Pushes the metatable of a value; pushes nothing and returns false if it has none.
  /// [-0, +1 or +0]
  public func pushMetatable(at index: Int) -> Bool {
    lua_getmetatable(state, Int32(index)) != 0
  }

  /// Makes the table at the top the metatable of a table. [-1, +0]
  public func setMetatable(at index: Int) { lua_setmetatable(state, Int32(index)) }
}
