import LuaRuntime
import Reactive

/// A Lua function in a user value of a userdata. It does not keep the userdata: the caller must
/// root the userdata.
struct Callback: Sendable {
  private let keptHost: Unmanaged<ScriptHost>
  let anchor: LuaAnchor
  let slot: Int

  init(host: ScriptHost, anchor: LuaAnchor, slot: Int) {
    keptHost = .passUnretained(host)
    self.anchor = anchor
    self.slot = slot
  }

  var host: ScriptHost { keptHost.takeUnretainedValue() }

  /// Calls the function with what `push` pushes and returns its first result.
  func call(_ push: (LuaStack) -> Int) throws(LuaError) -> LuaValue {
    try call(push) { $0.value(at: -1) }
  }

  /// Calls the function with what `push` pushes, and reads its `results` results from the stack.
  private func call<Result>(
    results: Int = 1, _ push: (LuaStack) -> Int, _ read: (LuaStack) -> Result
  ) throws(LuaError) -> Result {
    let interpreter = keptHost._withUnsafeGuaranteedRef { $0.interpreter }
    let result = try interpreter.withStack { (stack: LuaStack) throws(LuaError) -> Result in
      stack.beginCall()
      guard stack.pushUserValue(anchor, slot) != .none else {
        throw LuaError("the function is gone: its object was collected")
      }
      let count = push(stack)
      try stack.call(arguments: count, results: results)
      return read(stack)
    }
    guard let result else { throw LuaError("the interpreter has closed") }
    return result
  }

  /// The result of a function that has to return a signal.
  enum Made {
    /// A signal of one value.
    case just(LuaValue)
    case signal(Signal<LuaValue>)
    /// Something else.
    case other(LuaType)
  }

  /// Calls a function that has to return a signal.
  func made(of value: LuaValue) throws(LuaError) -> Made {
    try call { stack in
      stack.push(value)
      return 1
    } _: { stack in
      keptHost._withUnsafeGuaranteedRef { $0.made(at: -1, on: stack) }
    }
  }

  /// Calls a function that has to return a signal; `name` is its name in messages.
  func signal(of value: LuaValue, from name: String) throws -> Signal<LuaValue> {
    switch try made(of: value) {
    case .just(let value): return .just(value)
    case .signal(let signal): return signal
    case .other(let type): throw returned(type, from: name, insteadOf: "a signal")
    }
  }

  /// Returns the signal that the function returned; `name` is its name in messages.
  func signal(_ result: LuaValue, from name: String) throws(Failure) -> Signal<LuaValue> {
    guard let signal = host.signal(from: result) else {
      throw returned(result.type, from: name, insteadOf: "a signal")
    }
    return signal
  }

  /// Returns the error for a function that returned the wrong type; `name` is its name in messages.
  func returned(_ type: LuaType, from name: String, insteadOf expected: String) -> Failure {
    place.failure("\(name) returned \(type.name), expected \(expected)")
  }

  /// The function itself.
  var function: LuaValue { host.value { $0.pushUserValue(anchor, slot) } }

  /// The place where the function is defined.
  var place: SourceLocation { SourceLocation(text: host.placeOfFunction(function)) }

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

  /// Calls the function with a list of values.
  func call(_ values: [LuaValue]) throws(LuaError) -> LuaValue {
    var fits = true
    let result = try call { stack in
      fits = stack.ensure(values.count + 4)
      guard fits else { return 0 }
      for value in values { stack.push(value) }
      return values.count
    }
    guard fits else { throw LuaError("a tuple of \(values.count) values is too long for a call") }
    return result
  }

  /// Calls a function that may report a problem through its result: nil or false followed by an
  /// error, or false alone.
  ///
  /// - Returns: the first result.
  func attempt(_ value: LuaValue) throws -> LuaValue {
    let (first, second) = try call(results: 2) { stack in
      stack.push(value)
      return 1
    } _: { stack in
      (stack.value(at: -2), stack.value(at: -1))
    }
    if !first.isTruthy, !second.isNil { throw host.error(sent: second) }
    return first
  }
}

extension ScriptHost {
  /// Returns what a function that has to return a signal has returned.
  fileprivate func made(at index: Int, on stack: LuaStack) -> Callback.Made {
    if let value = stack.heldValue(at: index, Userdata.signal) { return .just(value) }
    return signal(at: index, on: stack).map { .signal($0) } ?? .other(stack.type(at: index))
  }

  /// Returns the same of a value.
  func made(of value: LuaValue) -> Callback.Made {
    interpreter.withStack { stack in
      stack.push(value)
      return made(at: -1, on: stack)
    } ?? .other(.none)
  }
}
