import CLuaShims

/// A chain of operators whose functions are all in Lua, as one function in Lua: a value passes through
/// all of them inside one protected call and is not converted on the way.
///
/// It keeps the functions; its owner releases it with the subscription it works for.
public final class LuaPipeline: @unchecked Sendable {
  // Unchecked: the fields are constant but `isStopped`, and that and the function are used only after a
  // look at `lifetime`, which checks the thread.

  /// The operation of a stage on its function and the value.
  public enum Stage: UInt8, Sendable {
    /// Passes on the result.
    case map
    /// Passes on the value if the result is true.
    case filter
    /// Calls the function with the running value, the value and its index from 1; passes on the
    /// result.
    case scan
    /// Passes on the value.
    case each
    /// Passes on nothing; must be the last stage.
    case sink
    /// Passes on the value that the result holds. From the first result on that holds none, calls its
    /// third function with the result and its first function, and passes on nothing; values enter
    /// behind it by `tail`.
    case flatMap
  }

  /// The most stages in a pipeline.
  public static let longest = 62

  /// The function.
  public let function: LuaKept
  private let lifetime: LuaLifetime
  /// True if it calls its functions no longer.
  @exclusivity(unchecked) private(set) var isStopped = false
  /// True unless it is a single sink, which is the script's function itself.
  public let takesRanges: Bool
  /// The part behind the stage that flattens; nil without such a stage.
  public let tail: LuaPipeline?

  /// Pops the functions of the stages, each scan's followed by its seed, and a `flatMap`'s, of which
  /// there may be one, by what `pushTaking` pushes and a function for other results.
  ///
  /// - Throws: if memory does not suffice.
  /// [-functions and seeds, +0] needs 4
  public init(popping stack: LuaStack, _ stages: [Stage]) throws(LuaError) {
    precondition(stages.count <= Self.longest, "a pipeline is too long")
    takesRanges = stages != [.sink]
    if takesRanges {
      let status = stages.map(\.rawValue).withUnsafeBufferPointer {
        rac_lua_push_pipeline(stack.state, $0.baseAddress, Int32($0.count))
      }
      guard status == LUA_OK else { throw stack.takeCallError(status: status) }
    }
    lifetime = stack.interpreter.lifetime
    tail = stages.contains(.flatMap) ? LuaPipeline(tail: stack, lifetime) : nil
    function = stack.keep()
  }

  private init(tail stack: LuaStack, _ lifetime: LuaLifetime) {
    self.lifetime = lifetime
    function = stack.keep()
    takesRanges = false
    tail = nil
  }

  deinit { lifetime.release(function.id) }

  func belongs(to interpreter: LuaInterpreter) -> Bool {
    lifetime === interpreter.lifetime
  }

  /// Stops calling functions; a run in progress ends after the current function.
  public func stop() {
    guard takesRanges, let host = lifetime.confinedHost else { return }
    isStopped = true
    rac_lua_stop_pipeline(host, function.id)
  }
}

extension LuaInterpreter {
  /// Sends a value through a pipeline.
  ///
  /// - Returns: the output of the last stage; nil if a stage dropped the value.
  public func run(
    _ pipeline: LuaPipeline, _ value: LuaValue
  ) throws(LuaError) -> LuaValue? {
    guard pipeline.belongs(to: self) else { throw Self.closedError }
    let result = try withStack { (stack: LuaStack) throws(LuaError) -> LuaValue? in
      stack.beginCall()
      stack.push(pipeline.function)
      stack.push(value)
      let handler = stack.top - 2
      try stack.call(arguments: 1, results: -1)
      // Not `nil`, which would be Lua's nil.
      return stack.top > handler ? stack.value(at: -1) : Optional.none
    }
    guard let result else { throw unavailable() }
    return result
  }
}
