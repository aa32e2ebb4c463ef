import LuaRuntime
import Testing

/// Runs code and returns its first result.
@discardableResult
func eval(_ lua: LuaInterpreter, _ code: String) throws -> LuaValue {
  try lua.run(code, chunkName: "=test").first ?? .nil
}

/// The error that code ends with.
func failure(_ lua: LuaInterpreter, _ code: String) throws -> LuaError {
  let function = try lua.load(code, chunkName: "=test")
  return try failure { () throws(LuaError) in try lua.call(function) }
}

func failure(_ body: () throws(LuaError) -> Void) throws -> LuaError {
  do {
    try body()
  } catch {
    return error
  }
  throw Unexpected.success
}

func failure(_ body: () throws(LuaError) -> [LuaValue]) throws -> LuaError {
  try failure { () throws(LuaError) in _ = try body() }
}

enum Unexpected: Error { case success }

extension LuaInterpreter {
  /// Defines a global function.
  func define(_ name: String, _ body: @escaping LuaFunctionBody) {
    let function = withStack { stack in
      stack.pushFunction(body)
      return stack.value(at: -1)
    }
    setGlobal(name, function ?? .nil)
  }
}

/// Counts the objects that exist.
final class Census {
  var living = 0
  final class Member {
    let census: Census
    var tag = 0
    init(_ census: Census) {
      self.census = census
      census.living += 1
    }
    deinit { census.living -= 1 }
  }
  func member() -> Member { Member(self) }
}

extension LuaCoroutine.Outcome {
  var values: [LuaValue]? {
    switch self {
    case .finished(let values), .yielded(let values, _): values
    case .failed: nil
    }
  }
  var isFinished: Bool { if case .finished = self { true } else { false } }
  var isHostYield: Bool { if case .yielded(_, byHost: true) = self { true } else { false } }
  var error: LuaError? { if case .failed(let error) = self { error } else { nil } }
}
