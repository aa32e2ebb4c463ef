import CLuaShims

/// Identifies a userdata without keeping it, so that Swift closures can reach the Lua functions in
/// its user values while Lua's collector sees the whole graph.
public struct LuaAnchor: Sendable, Hashable {
  /// The id, which is not reused within the interpreter.
  public let id: Int64
  /// The interpreter's `generation`.
  public let generation: UInt64
}

extension LuaStack {
  /// Returns the anchor of a userdata; nil if the value is not a userdata of the host. needs 2
  public func anchor(at index: Int) -> LuaAnchor? {
    let id = rac_lua_anchor(state, Int32(index))
    guard id != 0 else { return nil }
    return LuaAnchor(id: id, generation: rac_lua_generation(rac_lua_of(state)))
  }

  func owns(_ anchor: LuaAnchor) -> Bool {
    rac_lua_generation(rac_lua_of(state)) == anchor.generation
  }

  /// Pushes the userdata; nil if it was collected. [-0, +1] needs 2
  @discardableResult
  public func push(_ anchor: LuaAnchor) -> Bool {
    guard owns(anchor) else {
      pushNil()
      return false
    }
    return rac_lua_push_anchored(state, anchor.id)
  }

  /// Pushes a user value (from 1) of the userdata. Returns its type, or `none` (and pushes nil) if
  /// the userdata was collected. [-0, +1] needs 3
  @discardableResult
  public func pushUserValue(_ anchor: LuaAnchor, _ slot: Int) -> LuaType {
    guard owns(anchor) else {
      pushNil()
      return .none
    }
    return LuaType(rawValue: rac_lua_push_user_value(state, anchor.id, Int32(slot))) ?? .none
  }
}

extension LuaInterpreter {
  /// Keeps the userdata, and everything that its user values reach, until a matching number of
  /// `unroot` calls. False if it was collected or the interpreter closed.
  @discardableResult
  public func root(_ anchor: LuaAnchor) -> Bool {
    guard anchor.generation == generation else { return false }
    return withStack { rac_lua_root($0.state, anchor.id) } ?? false
  }

  /// Undoes one `root`.
  public func unroot(_ anchor: LuaAnchor) {
    guard anchor.generation == generation else { return }
    _ = withStack { rac_lua_unroot($0.state, anchor.id) }
  }
}
