import CLuaShims

/// The body of a function that Lua can call. Arguments are at 1… of `call.stack`; results are
/// pushed and counted. A thrown error is raised in Lua: a `LuaError`'s value unchanged, a
/// `LuaArgumentError` in Lua's wording, any other error as the interpreter's error bridge converts
/// it.
public typealias LuaFunctionBody = (LuaCall) throws -> LuaOutcome

/// The box in a Lua function's upvalue.
final class LuaHostFunction {
  let body: LuaFunctionBody

  init(_ body: @escaping LuaFunctionBody) { self.body = body }

  static let dispatch: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int64 = {
    state, object in
    guard let state, let object else { return 0 }
    return Unmanaged<LuaHostFunction>.fromOpaque(object)._withUnsafeGuaranteedRef { function in
      let call = LuaCall(LuaStack(state))
      do {
        return try function.body(call).code
      } catch {
        return call.stack.pushRaised(error).code
      }
    }
  }
}

extension LuaStack {
  /// Pushes a function that runs `body`. [-0, +1] needs 3
  public func pushFunction(_ body: @escaping LuaFunctionBody) {
    let box = Unmanaged.passRetained(LuaHostFunction(body))
    rac_lua_push_function(state, box.toOpaque())
  }

  /// Pushes a function that runs `body`. Errors about its arguments use `name` if the caller is not
  /// a script that has a name for it, such as `pcall`. [-0, +1] needs 4
  public func pushFunction(named name: String, _ body: @escaping LuaFunctionBody) {
    push(name)
    let box = Unmanaged.passRetained(LuaHostFunction(body))
    rac_lua_push_named_function(state, box.toOpaque())
  }

  /// Pushes the value for a Swift error that is about to be raised. [-0, +1]
  func pushRaised(_ error: any Error) -> LuaOutcome {
    guard ensure(8) else {
      // The arguments are no longer needed.
      top = 0
      return pushRaised(LuaError("stack overflow"))
    }
    switch error {
    case LuaArgumentError.type(let index, let expected):
      push(expected)
      return .badType(index)
    case LuaArgumentError.value(let index, let problem):
      push(problem)
      return .badArgument(index)
    default:
      pushRaisedValue(error)
      return .raiseCarried
    }
  }

  /// Does the same as `pushRaised` outside a call, where no argument can be at fault. [-0, +1]
  func pushRaisedValue(_ error: any Error) {
    if let error = error as? LuaError {
      pushValue(of: error)
    } else {
      pushBridged(error)
      rac_lua_carry(state, Int32(RAC_LUA_ORIGIN_HOST.rawValue), nil)
    }
  }

  private func pushValue(of error: LuaError) {
    push(error.value)
    let origin =
      switch error.origin {
      case .script: RAC_LUA_ORIGIN_SCRIPT
      case .interpreter: RAC_LUA_ORIGIN_INTERPRETER
      case .host: RAC_LUA_ORIGIN_HOST
      }
    rac_lua_carry(state, Int32(origin.rawValue), error.traceback)
  }

  /// Pushes the Lua value for a Swift error: the error bridge's value, or its description.
  /// [-0, +1] needs what the bridge needs
  public func pushBridged(_ error: any Error) {
    if let error = error as? LuaError {
      push(error.value)
    } else if interpreter.errorBridge?.push(error, self) != true {
      push(String(describing: error))
    }
  }
}
