import CLuaShims

/// Information about a function that is written in Lua.
public struct LuaFunctionFacts: Sendable {
  /// The name of its chunk at loading: `@` and a file, `=` and a name, or the text itself.
  public let source: String
  /// The lines of its definition in the chunk; 0 for the chunk's own function.
  public let lines: ClosedRange<Int>
  /// The names of its parameters, followed by `...` if it is variadic.
  public let parameters: [String]
  /// True if it uses local variables of the code around it.
  public let isClosure: Bool
}

extension LuaStack {
  /// Returns information about the function at an index; nil if it is not written in Lua.
  /// [-0, +0] needs 1
  public func functionFacts(at index: Int) -> LuaFunctionFacts? {
    var facts = rac_lua_function_facts()
    guard rac_lua_facts_of_function(state, Int32(index), &facts) else { return nil }
    let names = (0..<facts.parameters).map { number in
      rac_lua_parameter_of_function(state, Int32(index), number + 1).map { String(cString: $0) }
        ?? "?"
    }
    return LuaFunctionFacts(
      source: facts.source.map { String(cString: $0) } ?? "?",
      lines: Int(facts.first_line)...max(Int(facts.first_line), Int(facts.last_line)),
      parameters: names + (facts.is_variadic ? ["..."] : []), isClosure: facts.is_closure)
  }

  /// Makes the value at the top the environment of the chunk at an index: its globals. [-1, +0]
  public func setEnvironment(at index: Int) {
    assert(type(at: index) == .function)
    // The only upvalue of a chunk.
    if lua_setupvalue(state, Int32(index), 1) == nil { pop() }
  }
}
