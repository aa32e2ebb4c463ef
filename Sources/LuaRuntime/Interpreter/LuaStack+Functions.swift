import CLuaShims

/// What is known of a function that is written in Lua.
public struct LuaFunctionFacts: Sendable {
  /// The name of its chunk as it was loaded: `@` and a file, `=` and a name, or the text itself.
  public let source: String
  /// The lines of its definition in the chunk; the chunk's own function has 0.
  public let lines: ClosedRange<Int>
  /// The names of its parameters, with `...` at the end if it takes more.
  public let parameters: [String]
}

extension LuaStack {
  /// What is known of the function at an index; nil for one that is not written in Lua. [-0, +0] needs 1
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
      parameters: names + (facts.is_variadic ? ["..."] : []))
  }
}
