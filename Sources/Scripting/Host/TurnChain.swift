import LuaRuntime

/// Functions that schedule each other on the main scheduler without a delay. Such a chain never
/// waits, although each of its functions returns, so that the time limit holds for all of it.
struct TurnChain {
  /// The beginning on the clock of `LuaInterpreter.now`.
  let start: Duration

  /// Throws if the chain has run for longer than the time limit.
  func check(_ interpreter: LuaInterpreter) throws {
    guard let limit = interpreter.timeLimit, LuaInterpreter.now - start >= limit else { return }
    throw Failure(
      .limit,
      "functions that schedule each other ran for more than \(limit.text) without a pause")
  }
}

extension ExecutionContext {
  /// The chain of what is scheduled now: that of the function that runs, or a new one.
  var turnChain: TurnChain { currentChain ?? TurnChain(start: LuaInterpreter.now) }

  /// Runs a function of a chain; nil outside of any.
  func inTurn<Result>(of chain: TurnChain?, _ body: () throws -> Result) rethrows -> Result {
    let outer = currentChain
    currentChain = chain
    defer { currentChain = outer }
    return try body()
  }
}
