import CLuaShims

/// How much of its stack a thread has left.
///
/// Lua counts its own nesting; what nests only in Swift, signals that subscribe to signals thousands
/// deep, has to be stopped before the stack overflows.
public struct StackRoom: Sendable {
  private let limit: UInt

  /// The room of the calling thread, as it stands now.
  public init() {
    let end = UInt(rac_lua_stack_end())
    // Two thirds are kept: the end of what is nested nests as deep again on top of it.
    limit = end == 0 ? 0 : end + (Self.here - end) / 3 * 2
  }

  /// Whether nothing further should nest. To be asked on the thread that the room was taken on.
  public var isScarce: Bool { Self.here < limit }

  private static var here: UInt { UInt(rac_lua_stack_here()) }
}
