import CLuaShims

/// The behaviour in Lua of a type's userdata.
public struct LuaTypeDefinition {
  /// A function and its name. No tuple: a function in a generic one is called by way of thunks.
  struct Member {
    let name: String
    let body: LuaFunctionBody
  }

  // Lists rather than dictionaries: a definition is short, and iterated once.
  typealias Members = [Member]

  private(set) var methods: Members = []
  private(set) var senders: Members = []
  private(set) var getters: Members = []
  private(set) var setters: Members = []
  private(set) var metamethods: Members = []

  /// Adds a method; argument 1 is the userdata. It is found without a call into Swift.
  public mutating func method(_ name: String, _ body: @escaping LuaFunctionBody) {
    methods.append(Member(name: name, body: body))
  }

  /// Adds a method that sends its argument 2 to the sinks to which the `LuaSendingWay` of the userdata
  /// leads; where that is not open, `body` sends it.
  public mutating func sender(_ name: String, _ body: @escaping LuaFunctionBody) {
    senders.append(Member(name: name, body: body))
  }

  /// Adds a computed property; argument 1 is the userdata; returns one result.
  public mutating func getter(_ name: String, _ body: @escaping LuaFunctionBody) {
    getters.append(Member(name: name, body: body))
  }

  /// Makes a property writable; argument 1 is the userdata, 2 the new value.
  public mutating func setter(_ name: String, _ body: @escaping LuaFunctionBody) {
    setters.append(Member(name: name, body: body))
  }

  /// Adds a metamethod such as `__tostring`, `__eq`, `__close`, `__len`, `__call`. Not `__index`,
  /// `__newindex`, `__gc`, `__name` and `__metatable`, which the type already has.
  public mutating func metamethod(_ name: String, _ body: @escaping LuaFunctionBody) {
    metamethods.append(Member(name: name, body: body))
  }

  /// Returns the parent's members followed by the type's own, which override them.
  func inheriting(_ parent: LuaTypeDefinition) -> LuaTypeDefinition {
    var merged = self
    merged.methods = parent.methods + methods
    merged.senders = parent.senders + senders
    merged.getters = parent.getters + getters
    merged.setters = parent.setters + setters
    merged.metamethods = parent.metamethods + metamethods
    return merged
  }
}

/// A type registered with an interpreter, and the function that defines it on demand.
struct LuaTypeRegistration {
  let tag: LuaTypeTag
  let name: String
  let standIn: ((LuaStack, Int) -> AnyObject)?
  let define: (inout LuaTypeDefinition) -> Void
}

extension LuaInterpreter {
  /// Registers a type; register its parent first. Methods of the parent are found too, unless
  /// redefined.
  ///
  /// `define` is called when the first userdata of the type or of a subtype is made, so that a
  /// script does not pay at start for types it does not use.
  ///
  /// - Parameter standIn: makes an object for a userdata at an index that has none of the type's own: it
  ///   holds a value instead, or is of a type apart.
  public func register<Object>(
    _ type: LuaUserdataType<Object>, standIn: ((LuaStack, Int) -> Object)? = nil,
    _ define: @escaping (inout LuaTypeDefinition) -> Void
  ) {
    if let parent = type.tag.parent {
      precondition(
        registrations.contains { $0.tag == parent }, "the parent of \(type.name) is not registered")
    }
    registrations.removeAll { $0.tag == type.tag }
    registrations.append(
      LuaTypeRegistration(tag: type.tag, name: type.name, standIn: standIn, define: define))
  }

  private func definition(of registration: LuaTypeRegistration) -> LuaTypeDefinition {
    var definition = LuaTypeDefinition()
    registration.define(&definition)
    guard let parent = registrations.first(where: { $0.tag == registration.tag.parent }) else {
      return definition
    }
    return definition.inheriting(self.definition(of: parent))
  }

  /// Makes the metatable of a registered type. [-0, +0]
  func install(_ tag: LuaTypeTag, on stack: LuaStack) {
    guard let registration = registrations.first(where: { $0.tag == tag }) else {
      preconditionFailure("a userdata of a type that is not registered")
    }
    let definition = definition(of: registration)
    precondition(stack.ensure(10), "Lua's stack is full")
    stack.newTable(fields: 8)
    stack.set("__name", .string(registration.name), at: -1)
    stack.set("__metatable", .string(registration.name), at: -1)
    stack.set(definition.metamethods)
    stack.push(definition.methods)
    for sender in definition.senders {
      stack.pushSender(named: sender.name, sender.body)
      stack.rawSet(sender.name, at: -2)
    }
    stack.push(definition.getters)
    stack.push(definition.setters)
    rac_lua_finish_metatable(stack.state)
    rac_lua_register_type(stack.state, tag.pointer)
  }
}

extension LuaStack {
  /// Pushes a table of functions. [-0, +1] needs 7
  public func pushFunctions(_ functions: [(name: String, body: LuaFunctionBody)]) {
    newTable(fields: functions.count)
    setFunctions(functions)
  }

  /// Pushes a table of members. [-0, +1] needs 7
  fileprivate func push(_ members: LuaTypeDefinition.Members) {
    newTable(fields: members.count)
    set(members)
  }

  fileprivate func set(_ members: LuaTypeDefinition.Members) {
    for member in members {
      pushFunction(named: member.name, member.body)
      rawSet(member.name, at: -2)
    }
  }

  /// Sets functions as fields of the table on top; a later one with the same name wins. needs 6
  public func setFunctions(_ functions: [(name: String, body: LuaFunctionBody)]) {
    for (name, body) in functions {
      pushFunction(named: name, body)
      rawSet(name, at: -2)
    }
  }
}
