import LuaRuntime

/// A Lua function in a user value of a userdata, which Swift reaches without keeping it: whoever
/// calls it sees to it that the userdata is rooted.
struct Callback: Sendable {
  unowned(unsafe) let host: ScriptHost
  let anchor: LuaAnchor
  let slot: Int

  /// Calls the function with what `push` pushes and returns its first result.
  func call(_ push: (LuaStack) -> Int) throws(LuaError) -> LuaValue {
    let result = try host.interpreter.withStack { (stack: LuaStack) throws(LuaError) -> LuaValue in
      stack.beginCall()
      guard stack.pushUserValue(anchor, slot) != .none else {
        throw LuaError("the function is gone: its object was collected")
      }
      let count = push(stack)
      try stack.call(arguments: count, results: 1)
      return stack.value(at: -1)
    }
    guard let result else { throw LuaError("the interpreter has closed") }
    return result
  }

  func call() throws(LuaError) -> LuaValue {
    try call { _ in 0 }
  }

  func call(_ value: LuaValue) throws(LuaError) -> LuaValue {
    try call { stack in
      stack.push(value)
      return 1
    }
  }

  func call(_ first: LuaValue, _ second: LuaValue) throws(LuaError) -> LuaValue {
    try call { stack in
      stack.push(first)
      stack.push(second)
      return 2
    }
  }
}
