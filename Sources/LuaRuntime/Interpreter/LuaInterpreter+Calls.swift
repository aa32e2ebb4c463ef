import CLuaShims

// Calls with values, for code that can afford an array. The fast path is `withStack` with
// `beginCall`, pushes and `call`.

extension LuaInterpreter {
  /// Calls a function and returns its results: all of them, or exactly `results`. Errors: the error
  /// that the function raised, a limit, an interrupt, or that the interpreter has closed.
  @discardableResult
  public func call(
    _ function: LuaValue, _ arguments: [LuaValue] = [], results: Int? = nil
  ) throws(LuaError) -> [LuaValue] {
    let values = try withStack { (stack: LuaStack) throws(LuaError) -> [LuaValue] in
      guard stack.ensure(arguments.count + 4) else { throw unavailable() }
      stack.beginCall()
      let base = stack.top
      stack.push(function)
      for argument in arguments { stack.push(argument) }
      try stack.call(arguments: arguments.count, results: results ?? -1)
      let count = stack.top - base
      guard stack.ensure(4) else { throw unavailable() }
      return stack.popValues(count)
    }
    guard let values else { throw unavailable() }
    return values
  }

  /// Calls a function and returns its results.
  @discardableResult
  public func call(
    _ function: LuaReference, _ arguments: LuaValue...
  ) throws(LuaError) -> [LuaValue] {
    try call(.reference(function), arguments)
  }

  /// Compiles and runs a text.
  @discardableResult
  public func run(_ code: String, chunkName: String = "=code") throws(LuaError) -> [LuaValue] {
    try call(.reference(load(code, chunkName: chunkName)))
  }
}
