import CLuaShims

/// The frames of a failure with their variables, as they were when it was raised.
public struct LuaKeptFailure: Sendable {
  /// A call of a function that is written in Lua.
  public struct Frame: Sendable {
    /// The name of the source, as in messages.
    public let source: String
    /// The line that was executed.
    public let line: Int
    /// The name by which the function was called, if there is one.
    public let name: String?
    /// The function.
    public let function: LuaValue
    /// True for the top level of a text or a file.
    public let isChunk: Bool
    /// The table of its globals; nil if it uses none.
    public let environment: LuaValue
    /// The variables, local ones first: later ones of a name hide earlier ones.
    public let variables: [(name: String, value: LuaValue)]
    /// The number of local variables, which upvalues follow.
    public let localCount: Int
  }

  /// The traceback of its error.
  public let traceback: String
  /// The frames, the innermost first.
  public let frames: [Frame]
}

extension LuaInterpreter {
  /// Keeps the frames of the latest few failures from now on. What their variables hold is not
  /// collected meanwhile.
  public func keepFrames() {
    if let host = lifetime.confinedHost { rac_lua_keep_frames(host) }
  }

  /// Returns the latest failure with a traceback; nil if it is not among the few that are kept.
  public func keptFailure(traceback: String) -> LuaKeptFailure? {
    let found: LuaKeptFailure?? = withStack { stack in
      var age: Int32 = 0
      while rac_lua_push_kept_failure(stack.state, age) {
        if let failure = Self.failure(stack, traceback) { return failure }
        stack.pop()
        age += 1
      }
      return nil
    }
    return found ?? nil
  }

  private static func failure(_ stack: LuaStack, _ traceback: String) -> LuaKeptFailure? {
    guard text("traceback", stack) == traceback else { return nil }
    var frames: [LuaKeptFailure.Frame] = []
    for position in 0..<stack.rawLength(at: -1) {
      stack.rawGet(position + 1, at: -1)
      frames.append(frame(stack))
      stack.pop()
    }
    return LuaKeptFailure(traceback: traceback, frames: frames)
  }

  private static func frame(_ stack: LuaStack) -> LuaKeptFailure.Frame {
    let name = text("name", stack)
    let variables = (0..<integer("count", stack)).map { position in
      (
        element(position, of: "names", stack).stringValue?.text ?? "",
        element(position, of: "values", stack)
      )
    }
    return LuaKeptFailure.Frame(
      source: text("source", stack), line: integer("line", stack), name: name.isEmpty ? nil : name,
      function: field("function", stack), isChunk: text("kind", stack) == "main",
      environment: field("environment", stack),
      variables: variables, localCount: integer("locals", stack))
  }

  private static func field(_ name: String, _ stack: LuaStack) -> LuaValue {
    stack.rawGet(name, at: -1)
    defer { stack.pop() }
    return stack.value(at: -1)
  }

  private static func text(_ name: String, _ stack: LuaStack) -> String {
    field(name, stack).stringValue?.description ?? ""
  }

  private static func integer(_ name: String, _ stack: LuaStack) -> Int {
    Int(field(name, stack).integerValue ?? 0)
  }

  private static func element(_ position: Int, of list: String, _ stack: LuaStack) -> LuaValue {
    stack.rawGet(list, at: -1)
    stack.rawGet(position + 1, at: -1)
    defer { stack.pop(2) }
    return stack.value(at: -1)
  }
}
