import CLuaShims

/// A kind of userdata that holds Swift objects. Make one per kind for the process and register it
/// with each interpreter. The object of a subtype must be a subclass of its parent's object.
public final class LuaUserdataType<Object: AnyObject>: Sendable {
  /// What messages call it.
  public let name: String
  let tag: LuaTypeTag

  /// A type without parent.
  public init(_ name: String) {
    self.name = name
    tag = LuaTypeTag(parent: nil)
  }

  /// A type whose userdata also pass as `parent`, with its methods and properties.
  public init<Parent>(_ name: String, parent: LuaUserdataType<Parent>) {
    self.name = name
    tag = LuaTypeTag(parent: parent.tag)
  }
}

/// The shim's identity of a type. Never freed, so its address may be kept anywhere.
struct LuaTypeTag: Sendable, Hashable {
  let address: UInt

  init(parent: LuaTypeTag?) {
    address = UInt(bitPattern: rac_lua_new_type(parent?.pointer))
  }

  init(_ pointer: UnsafePointer<rac_lua_type>) { address = UInt(bitPattern: pointer) }

  var pointer: UnsafePointer<rac_lua_type>? { UnsafePointer(bitPattern: address) }
}

extension LuaUserdataType {
  @usableFromInline var pointer: UnsafePointer<rac_lua_type>? { tag.pointer }
}

/// What the userdata of a type can do in Lua.
public struct LuaTypeDefinition {
  var methods: [String: LuaFunctionBody] = [:]
  var getters: [String: LuaFunctionBody] = [:]
  var setters: [String: LuaFunctionBody] = [:]
  var metamethods: [String: LuaFunctionBody] = [:]

  /// A method; argument 1 is the userdata. Found without a call into Swift.
  public mutating func method(_ name: String, _ body: @escaping LuaFunctionBody) {
    methods[name] = body
  }

  /// A computed property; argument 1 is the userdata, one result.
  public mutating func getter(_ name: String, _ body: @escaping LuaFunctionBody) {
    getters[name] = body
  }

  /// Makes a property writable; argument 1 is the userdata, 2 the new value.
  public mutating func setter(_ name: String, _ body: @escaping LuaFunctionBody) {
    setters[name] = body
  }

  /// A metamethod such as `__tostring`, `__eq`, `__close`, `__len`, `__call`. Not `__index`,
  /// `__newindex`, `__gc`, `__name` and `__metatable`, which the type has already.
  public mutating func metamethod(_ name: String, _ body: @escaping LuaFunctionBody) {
    metamethods[name] = body
  }

  func inheriting(_ parent: LuaTypeDefinition) -> LuaTypeDefinition {
    var merged = self
    merged.methods.merge(parent.methods) { own, _ in own }
    merged.getters.merge(parent.getters) { own, _ in own }
    merged.setters.merge(parent.setters) { own, _ in own }
    merged.metamethods.merge(parent.metamethods) { own, _ in own }
    return merged
  }
}

extension LuaInterpreter {
  /// Registers a type, its parent first. Methods of the parent are found too, unless redefined.
  public func register<Object>(
    _ type: LuaUserdataType<Object>, _ define: (inout LuaTypeDefinition) -> Void
  ) {
    var definition = LuaTypeDefinition()
    define(&definition)
    if let parent = type.pointer?.pointee.parent {
      guard let inherited = definitions[LuaTypeTag(parent).address] else {
        preconditionFailure("the parent of \(type.name) is not registered")
      }
      definition = definition.inheriting(inherited)
    }
    definitions[type.tag.address] = definition
    _ = withStack { stack in
      stack.newTable(fields: 8)
      stack.set("__name", .string(type.name), at: -1)
      stack.set("__metatable", .string(type.name), at: -1)
      stack.setFunctions(definition.metamethods)
      stack.pushFunctions(definition.methods)
      stack.pushFunctions(definition.getters)
      stack.pushFunctions(definition.setters)
      rac_lua_finish_metatable(stack.state)
      rac_lua_register_type(stack.state, type.pointer)
    }
  }
}

extension LuaStack {
  /// Pushes a new userdata that keeps `object` until Lua collects it, with room for user values.
  /// The type must be registered. [-0, +1] needs 3
  public func push<Object>(
    _ object: Object, as type: LuaUserdataType<Object>, userValues: Int = 0
  ) {
    rac_lua_push_object(
      state, type.pointer, Unmanaged.passRetained(object).toOpaque(), Int32(userValues))
  }

  /// The object of a userdata of a type or one of its subtypes, else nil.
  @inlinable public func object<Object>(
    at index: Int, _ type: LuaUserdataType<Object>
  ) -> Object? {
    guard let object = rac_lua_object(state, Int32(index), type.pointer) else { return nil }
    return Unmanaged<Object>.fromOpaque(object).takeUnretainedValue()
  }

  /// Pops the top value into a user value (from 1). [-1, +0]
  public func setUserValue(_ slot: Int, at index: Int) {
    if lua_setiuservalue(state, Int32(index), Int32(slot)) == 0 {
      assertionFailure("no user value \(slot)")
    }
  }

  /// Pushes a user value (from 1), nil when there is none. [-0, +1]
  @discardableResult
  public func getUserValue(_ slot: Int, at index: Int) -> LuaType {
    LuaType(rawValue: lua_getiuservalue(state, Int32(index), Int32(slot))) ?? .none
  }

  /// Pushes a table of functions. [-0, +1] needs 6
  public func pushFunctions(_ functions: [String: LuaFunctionBody]) {
    newTable(fields: functions.count)
    setFunctions(functions)
  }

  /// Sets functions as fields of the table on top. needs 5
  public func setFunctions(_ functions: [String: LuaFunctionBody]) {
    for (name, body) in functions {
      pushFunction(body)
      rawSet(name, at: -2)
    }
  }
}
