import CLuaShims

// Tables: raw access, which cannot raise but needs a table at the index, and access with
// metamethods, which runs protected and accepts any value.

extension LuaStack {
  /// Pushes a new table with room for list elements and fields. [-0, +1]
  public func newTable(elements: Int = 0, fields: Int = 0) {
    lua_createtable(state, Int32(elements), Int32(fields))
  }

  /// Pushes `table[name]`, raw. Returns its type. [-0, +1] needs 2
  @discardableResult
  public func rawGet(_ name: String, at index: Int) -> LuaType {
    assert(type(at: index) == .table)
    let table = lua_absindex(state, Int32(index))
    push(name)
    return LuaType(rawValue: lua_rawget(state, table)) ?? .none
  }

  /// Pushes `table[position]`, raw. Returns its type. [-0, +1]
  @discardableResult
  public func rawGet(_ position: Int, at index: Int) -> LuaType {
    assert(type(at: index) == .table)
    return LuaType(rawValue: lua_rawgeti(state, Int32(index), Int64(position))) ?? .none
  }

  /// Sets `table[name]` to the top value, raw. [-1, +0] needs 2
  public func rawSet(_ name: String, at index: Int) {
    assert(type(at: index) == .table)
    let table = lua_absindex(state, Int32(index))
    push(name)
    lua_rotate(state, -2, 1)
    // Assignment to a string key cannot raise.
    rac_lua_rawset_string(state, table)
  }

  /// Sets `table[position]` to the top value, raw. [-1, +0]
  public func rawSet(_ position: Int, at index: Int) {
    assert(type(at: index) == .table)
    lua_rawseti(state, Int32(index), Int64(position))
  }

  /// Sets `table[name]` to `value`, raw. needs 3
  public func set(_ name: String, _ value: LuaValue, at index: Int) {
    let table = absolute(index)
    push(value)
    rawSet(name, at: table)
  }

  /// Returns the length of a table, string or userdata, raw.
  public func rawLength(at index: Int) -> Int { Int(lua_rawlen(state, Int32(index))) }

  /// Sets `table[key] = value` from the two topmost values, raw; throws for a nil or NaN key.
  /// [-2, +0] needs 5
  public func rawSet(at index: Int) throws(LuaError) {
    try check(rac_lua_rawset(state, Int32(index)))
  }

  /// Replaces the key at the top with `value[key]`, with metamethods.
  /// [-1, +1; on error -1, +0] needs 5
  public func get(at index: Int) throws(LuaError) {
    try check(rac_lua_get(state, Int32(index)))
  }

  /// Pushes `value[name]`, with metamethods. [-0, +1; on error +0] needs 6
  public func get(_ name: String, at index: Int) throws(LuaError) {
    let table = absolute(index)
    push(name)
    try get(at: table)
  }

  /// Sets `value[key] = value` from the two topmost values, with metamethods. [-2, +0] needs 5
  public func set(at index: Int) throws(LuaError) {
    try check(rac_lua_set(state, Int32(index)))
  }

  /// Returns `#value`, with metamethods. needs 5
  public func length(at index: Int) throws(LuaError) -> Int {
    var length: Int64 = 0
    try check(rac_lua_length(state, Int32(index), &length))
    return Int(length)
  }

  /// Returns `a == b`, with metamethods. needs 6
  public func equal(_ first: Int, _ second: Int) throws(LuaError) -> Bool {
    var equal = false
    try check(rac_lua_equal(state, Int32(first), Int32(second), &equal))
    return equal
  }

  /// Returns the keys of a table that are strings, and whether it has others, raw. needs 2
  public func keys(at index: Int) -> (names: [String], hasOthers: Bool) {
    let table = Int32(absolute(index))
    var keys: (names: [String], hasOthers: Bool) = ([], false)
    keys.names.reserveCapacity(8)
    pushNil()
    while rac_lua_next_unchanged(state, table) != 0 {
      pop()
      if let name = string(at: -1) { keys.names.append(name) } else { keys.hasOthers = true }
    }
    return keys
  }

  /// Calls `body` for each pair of a table, raw, with the key at -2 and the value at -1; it must
  /// leave the stack unchanged. `body` returns false to stop. It may assign to existing fields
  /// during the iteration; a new key makes it throw. needs 8
  public func forEachPair(
    at index: Int, _ body: (LuaStack) throws(LuaError) -> Bool
  ) throws(LuaError) {
    let table = absolute(index)
    let base = top
    pushNil()
    while true {
      var more = false
      try check(rac_lua_next(state, Int32(table), &more))
      guard more else { return }
      do {
        guard try body(self) else {
          top = base
          return
        }
      } catch {
        top = base
        throw error
      }
      pop()
    }
  }
}
