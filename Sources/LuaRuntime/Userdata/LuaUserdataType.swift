import CLuaShims

/// A kind of userdata that holds Swift objects. Make one per kind and process, and register it with
/// each interpreter.
///
/// A structure, because Swift makes the metadata of each generic class while the program runs.
public struct LuaUserdataType<Object: AnyObject>: Sendable {
  /// The name in messages.
  public let name: String
  let tag: LuaTypeTag

  /// Makes a type without a parent.
  public init(_ name: String) {
    self.name = name
    tag = LuaTypeTag(parent: nil)
  }

  /// Makes a type whose userdata are also accepted as `parent`, with its methods and properties. Its
  /// objects must be of a subclass of the parent's.
  public init<Parent>(_ name: String, parent: LuaUserdataType<Parent>) {
    self.name = name
    tag = LuaTypeTag(parent: parent.tag)
  }

  /// Makes such a type whose objects are of a class of their own. Code that needs the parent's object
  /// gets a stand-in; see `LuaInterpreter.register`.
  public init<Parent>(_ name: String, apartFrom parent: LuaUserdataType<Parent>) {
    self.name = name
    tag = LuaTypeTag(parent: parent.tag, isApart: true)
  }
}

/// The shim's identity of a type. Never freed, so its address may be kept anywhere.
struct LuaTypeTag: Sendable, Hashable {
  let address: UInt

  init(parent: LuaTypeTag?, isApart: Bool = false) {
    address = UInt(bitPattern: rac_lua_new_type(parent?.pointer, isApart))
  }

  init(_ pointer: UnsafePointer<rac_lua_type>) { address = UInt(bitPattern: pointer) }

  var pointer: UnsafePointer<rac_lua_type>? { UnsafePointer(bitPattern: address) }

  var parent: LuaTypeTag? { pointer?.pointee.parent.map { LuaTypeTag($0) } }
}

extension LuaUserdataType {
  @usableFromInline var pointer: UnsafePointer<rac_lua_type>? { tag.pointer }
}

extension LuaStack {
  /// Pushes a new userdata that keeps `object` until Lua collects it, with room for user values.
  /// The type must be registered. [-0, +1] needs 3
  public func push<Object>(
    _ object: Object, as type: LuaUserdataType<Object>, userValues: Int = 0
  ) {
    let retained = Unmanaged.passRetained(object).toOpaque()
    if rac_lua_push_object(state, type.pointer, retained, Int32(userValues)) { return }
    interpreter.install(type.tag, on: self)
    rac_lua_push_object(state, type.pointer, retained, Int32(userValues))
  }

  /// Pushes a new userdata that keeps `object` until Lua collects it, and in its user value 1 the
  /// userdata with an anchor. The type must be registered. [-0, +1] needs 4
  public func push<Object>(
    _ object: Object, as type: LuaUserdataType<Object>, with anchor: LuaAnchor
  ) {
    let id = owns(anchor) ? anchor.id : 0
    let retained = Unmanaged.passRetained(object).toOpaque()
    if rac_lua_push_object_with(state, type.pointer, retained, id) { return }
    interpreter.install(type.tag, on: self)
    rac_lua_push_object_with(state, type.pointer, retained, id)
  }

  /// Returns the object of a userdata of a type or one of its subtypes, else nil. A userdata without
  /// such an object, because it holds a value or is of a type apart, gets a stand-in.
  @inlinable public func object<Object>(
    at index: Int, _ type: LuaUserdataType<Object>
  ) -> Object? {
    guard let object = rac_lua_object(state, Int32(index), type.pointer) else {
      return standIn(at: index, type)
    }
    return Unmanaged<Object>.fromOpaque(object).takeUnretainedValue()
  }

  /// Calls `body` with such an object, which its userdata keeps, without counting a reference; nil if
  /// there is none.
  @inlinable public func withObject<Object, Result>(
    at index: Int, _ type: LuaUserdataType<Object>, _ body: (Object) -> Result
  ) -> Result? {
    guard let object = rac_lua_object(state, Int32(index), type.pointer) else {
      return standIn(at: index, type).map(body)
    }
    return Unmanaged<Object>.fromOpaque(object)._withUnsafeGuaranteedRef(body)
  }

  /// Returns true if a value is a userdata of a type or one of its subtypes.
  public func holds<Object>(_ type: LuaUserdataType<Object>, at index: Int) -> Bool {
    rac_lua_is(state, Int32(index), type.pointer)
  }

  /// Pops the top value into a user value (from 1). [-1, +0]
  public func setUserValue(_ slot: Int, at index: Int) {
    if lua_setiuservalue(state, Int32(index), Int32(slot)) == 0 {
      assertionFailure("no user value \(slot)")
    }
  }

  /// Pushes a user value (from 1); nil if there is none. [-0, +1]
  @discardableResult
  public func getUserValue(_ slot: Int, at index: Int) -> LuaType {
    LuaType(rawValue: lua_getiuservalue(state, Int32(index), Int32(slot))) ?? .none
  }
}
