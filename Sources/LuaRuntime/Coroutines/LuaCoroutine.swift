import CLuaShims

/// A coroutine that the host drives. It keeps its Lua thread until it is dropped; dropping a
/// suspended coroutine does not run its `<close>` variables, but `close()` does.
public final class LuaCoroutine {
  /// The result of a resume.
  public enum Outcome {
    /// The function returned.
    case finished([LuaValue])
    /// It was suspended, by a host function (`.yield`) or by the script's `coroutine.yield`.
    case yielded([LuaValue], byHost: Bool)
    /// It raised an error; its `<close>` variables have run.
    case failed(LuaError)
  }

  /// The state of a coroutine.
  public enum State: Sendable {
    case suspended
    case running
    case ended
  }

  /// The coroutine as a Lua value.
  public let reference: LuaReference
  private let thread: OpaquePointer
  /// The current state. A closed interpreter ends its coroutines.
  public private(set) var state = State.suspended
  private unowned(unsafe) let interpreterStorage: LuaInterpreter

  /// Makes a coroutine that will run `function`. Throws if the interpreter has closed or the value
  /// is not a function.
  public init(_ interpreter: LuaInterpreter, _ function: LuaValue) throws(LuaError) {
    guard function.type == .function else {
      throw LuaError("a coroutine needs a function, not a \(function.type.name) value")
    }
    let made = interpreter.withStack { stack in
      stack.push(function)
      let thread = rac_lua_new_coroutine(stack.state)
      return (
        thread, LuaReference(popping: stack, type: .thread, lifetime: interpreter.lifetime)
      )
    }
    guard let made, let thread = made.0 else { throw interpreter.unavailable() }
    self.thread = thread
    reference = made.1
    interpreterStorage = interpreter
  }

  /// The `file:line` that it has reached.
  public var place: String? { reference.isAlive ? LuaStack(thread).placeOfCall : nil }

  private var interpreter: LuaInterpreter? { reference.isAlive ? interpreterStorage : nil }

  private func unavailable() -> LuaError {
    interpreter?.unavailable() ?? LuaInterpreter.closedError
  }

  /// Resumes with values: first the function's arguments, later the results of the suspended call.
  public func resume(_ values: [LuaValue] = []) -> Outcome {
    guard reference.isAlive, LuaStack(thread).ensure(values.count + 8) else {
      return .failed(unavailable())
    }
    return resume { stack in
      for value in values { stack.push(value) }
      return values.count
    }
  }

  /// Resumes with the values that `push` pushes on the coroutine's stack; `push` returns their
  /// number.
  public func resume(pushing push: (LuaStack) -> Int) -> Outcome { resume(raise: false, push) }

  /// Resumes by raising an error at the point of suspension.
  public func resume(throwing error: any Error) -> Outcome {
    if case .suspended = state, reference.isAlive, lua_status(thread) == LUA_OK {
      // It has not started: there is no place to raise it.
      let failure = (error as? LuaError) ?? LuaError(String(describing: error))
      return close().map { .failed($0) } ?? .failed(failure)
    }
    return resume(raise: true) { stack in
      stack.pushRaisedValue(error)
      return 1
    }
  }

  private func resume(raise: Bool, _ push: (LuaStack) -> Int) -> Outcome {
    guard let interpreter else { return .failed(unavailable()) }
    guard state == .suspended else {
      return .failed(
        LuaError("cannot resume \(state == .running ? "non-suspended" : "dead") coroutine"))
    }
    let outcome = interpreter.withStack { from in
      resume(from: from, interpreter, raise: raise, push)
    }
    return outcome ?? .failed(interpreter.unavailable())
  }

  private func resume(
    from: LuaStack, _ interpreter: LuaInterpreter, raise: Bool, _ push: (LuaStack) -> Int
  ) -> Outcome {
    let stack = LuaStack(thread)
    guard stack.ensure(8) else { return .failed(interpreter.unavailable()) }
    let arguments = push(stack)
    let outer = interpreter.currentCoroutine
    interpreter.currentCoroutine = self
    state = .running
    var results: Int32 = 0
    let status = rac_lua_resume(from.state, thread, Int32(arguments), raise, &results)
    interpreter.currentCoroutine = outer
    guard let host = interpreter.lifetime.confinedHost else {
      return .failed(interpreter.unavailable())
    }
    switch status {
    case LUA_OK:
      state = .ended
      return .finished(take(Int(results), from: stack))
    case LUA_YIELD:
      state = .suspended
      let byHost = rac_lua_yielded_by_host(host)
      return .yielded(take(Int(results), from: stack), byHost: byHost)
    default:
      state = .ended
      return .failed(fail(from: from, status: status))
    }
  }

  private func take(_ count: Int, from stack: LuaStack) -> [LuaValue] {
    _ = stack.ensure(4)
    return stack.popValues(count)
  }

  /// Reads the error while the coroutine's stack is intact, then runs its `<close>` variables; an
  /// error in those replaces the first, as in Lua.
  private func fail(from: LuaStack, status: Int32) -> LuaError {
    lua_pushvalue(thread, -1)
    lua_xmove(thread, from.state, 1)
    let error = from.readError(status: status)
    let resetStatus = rac_lua_reset(from.state, thread)
    guard resetStatus != LUA_OK else { return error }
    lua_xmove(thread, from.state, 1)
    return from.rawEqual(-1, -2) ? error : from.readError(status: resetStatus)
  }

  /// Ends a suspended coroutine: runs its `<close>` variables, and those of the coroutines it waits
  /// for. Returns the error that one of them raised. Does nothing if the coroutine is running or
  /// has ended.
  @discardableResult
  public func close() -> LuaError? {
    guard state == .suspended, let interpreter else { return nil }
    state = .ended
    return interpreter.withStack { (from: LuaStack) -> LuaError? in
      let status = rac_lua_reset(from.state, thread)
      guard status != LUA_OK else { return nil }
      lua_xmove(thread, from.state, 1)
      return from.takeError(status: status)
    } ?? nil
  }
}
