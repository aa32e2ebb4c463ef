import CLuaShims

/// The ability of a host function to suspend the coroutine that it runs in.
public enum LuaWaiting: Sendable {
  case possible
  /// It does not run in a coroutine that the host drives.
  case outsideCoroutine
  /// A plain call from the host, or a C function that cannot suspend, is in between.
  case insideCallback
}

/// A call of a host function: its stack, with checked access to the arguments. Valid during the
/// call only. Argument indices count from 1; for a method, 1 is the object.
public struct LuaCall {
  /// The stack, which begins with the arguments; push results on top.
  public let stack: LuaStack
  /// The number of arguments.
  public let count: Int

  @inlinable init(_ stack: LuaStack) {
    self.stack = stack
    count = stack.top
  }

  /// The interpreter.
  public var interpreter: LuaInterpreter { stack.interpreter }

  /// The ability to use `.yield`.
  public var waiting: LuaWaiting {
    switch rac_lua_can_wait(stack.state) {
    case RAC_LUA_CAN_WAIT: .possible
    case RAC_LUA_IN_CALLBACK: .insideCallback
    default: .outsideCoroutine
    }
  }

  /// False if the caller drops the results, so that the function need not make them.
  public var wantsResults: Bool { rac_lua_wants_results(stack.state) }

  /// Returns any argument; nil if it is missing.
  @inlinable public func value(at index: Int) -> LuaValue { stack.value(at: index) }

  /// Returns true if an argument is missing or nil.
  @inlinable public func isNoneOrNil(at index: Int) -> Bool { stack.isNoneOrNil(at: index) }

  /// Returns an integer, also from an integral float or a numeral in a string.
  @inlinable public func integer(at index: Int) throws -> Int64 {
    if let integer = stack.integer(at: index) { return integer }
    throw wrongInteger(at: index)
  }

  @usableFromInline func wrongInteger(at index: Int) -> LuaArgumentError {
    stack.type(at: index) == .number
      ? .value(at: index, problem: "number has no integer representation")
      : .type(at: index, expected: "number")
  }

  /// Returns a float, also from an integer or a numeral in a string.
  @inlinable public func number(at index: Int) throws -> Double {
    if let number = stack.number(at: index) { return number }
    throw LuaArgumentError.type(at: index, expected: "number")
  }

  /// Returns a boolean; accepts no other type.
  public func bool(at index: Int) throws -> Bool {
    try require(.boolean, at: index)
    return stack.truth(at: index)
  }

  /// Returns a text, also from a number, including bytes that are not UTF-8.
  public func string(at index: Int) throws -> String { try bytes(at: index).exactText }

  /// Returns the bytes of a string, also from a number.
  public func bytes(at index: Int) throws -> LuaString {
    switch stack.type(at: index) {
    case .string, .number:
      var length = 0
      let bytes = lua_tolstring(stack.state, Int32(index), &length)
      return LuaString(UnsafeRawBufferPointer(start: bytes, count: length))
    default:
      throw LuaArgumentError.type(at: index, expected: "string")
    }
  }

  /// Returns a function as a reference. To check the type only, use `require(.function, at:)`.
  public func function(at index: Int) throws -> LuaReference {
    try reference(.function, at: index)
  }

  /// Returns a table as a reference.
  public func table(at index: Int) throws -> LuaReference { try reference(.table, at: index) }

  /// Throws unless the argument has the type.
  public func require(_ type: LuaType, at index: Int) throws {
    guard stack.type(at: index) == type else {
      throw LuaArgumentError.type(at: index, expected: type.name)
    }
  }

  private func reference(_ type: LuaType, at index: Int) throws -> LuaReference {
    try require(type, at: index)
    return stack.reference(type, at: index)
  }

  /// Returns the object of a userdata of a type or of one of its subtypes.
  @inlinable public func object<Object>(
    at index: Int, _ type: LuaUserdataType<Object>
  ) throws -> Object {
    if let object = stack.object(at: index, type) { return object }
    throw LuaArgumentError.type(at: index, expected: type.name)
  }

  /// Pushes a value and returns it.
  @inlinable public func returning(_ value: LuaValue) -> LuaOutcome {
    stack.push(value)
    return .results(1)
  }
}
