import CLuaShims

/// The room left on a thread's stack.
///
/// Lua counts its own nesting; nesting in Swift alone, such as signals that subscribe to signals
/// thousands deep, has to be stopped before the stack overflows.
public struct StackRoom: Sendable {
  private let limit: UInt

  /// Measures the current room of the calling thread.
  public init() {
    let end = UInt(rac_lua_stack_end())
    // Two thirds are reserved: ending what is nested nests as deep again on top of it.
    limit = end == 0 ? 0 : end + (Self.here - end) / 3 * 2
  }

  /// True if nothing further should nest. Read it on the thread whose room was measured.
  public var isScarce: Bool { Self.here < limit }

  private static var here: UInt { UInt(rac_lua_stack_here()) }
}
