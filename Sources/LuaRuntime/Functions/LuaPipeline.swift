import CLuaShims

/// Operators one after the other whose functions are all Lua's, as one function: a value goes through
/// all of them inside one protected call and is not converted on the way.
///
/// It keeps the functions; whoever has it gives it up with the subscription it works for.
public final class LuaPipeline: @unchecked Sendable {
  // Unchecked: it belongs to its interpreter's thread.

  /// What a stage does with its function and the value.
  public enum Stage: UInt8, Sendable {
    /// The result goes on.
    case map
    /// The value goes on if the result is true.
    case filter
    /// Called with the running value, the value and its index from 1; the result goes on.
    case scan
    /// The value goes on.
    case each
    /// Nothing goes on; the last stage.
    case sink
  }

  /// How many stages there may be.
  public static let longest = 100

  /// The reference to the function.
  let id: Int32
  private let lifetime: LuaLifetime
  /// Lives as long as the function; nil for a sink alone, which is its function.
  private let pipeline: OpaquePointer?

  /// Pops the functions of the stages, each scan's followed by its seed.
  /// [-functions and seeds, +0] needs 3
  public init(popping stack: LuaStack, _ stages: [Stage]) {
    precondition(stages.count <= Self.longest, "a pipeline is too long")
    if stages == [.sink] {
      pipeline = nil
    } else {
      pipeline = stages.map(\.rawValue).withUnsafeBufferPointer {
        rac_lua_push_pipeline(stack.state, $0.baseAddress, Int32($0.count))
      }
    }
    lifetime = stack.interpreter.lifetime
    id = rac_lua_ref(stack.state)
  }

  deinit { lifetime.release(id) }

  func belongs(to interpreter: LuaInterpreter) -> Bool {
    lifetime === interpreter.lifetime
  }

  /// Calls no function any more; a run that is in progress ends after the one it is in.
  public func stop() {
    if let pipeline, lifetime.host != nil { rac_lua_stop_pipeline(pipeline) }
  }
}

extension LuaInterpreter {
  /// Sends a value through a pipeline.
  ///
  /// - Returns: what comes out of the last stage; nil if a stage held it back.
  public func run(
    _ pipeline: LuaPipeline, _ value: LuaValue
  ) throws(LuaError) -> LuaValue? {
    guard pipeline.belongs(to: self) else { throw Self.closedError }
    let result = try withStack { (stack: LuaStack) throws(LuaError) -> LuaValue? in
      stack.beginCall()
      rac_lua_push_ref(stack.state, pipeline.id)
      stack.push(value)
      let handler = stack.top - 2
      try stack.call(arguments: 1, results: -1)
      // Not `nil`, which would be Lua's.
      return stack.top > handler ? stack.value(at: -1) : Optional.none
    }
    guard let result else { throw unavailable() }
    return result
  }
}
