/// The thread of an event loop, or of an interpreter, which belongs to one.
public struct LoopThread: Sendable {
  // A number, because not every system's `pthread_t` is `Sendable`.
  @usableFromInline let number: UInt

  /// The calling thread.
  @inlinable
  public init() { number = Self.current }

  /// True on this thread.
  @inlinable
  public var isCurrent: Bool { Self.current == number }

  /// Stops the program on another thread.
  @inlinable
  func check() { precondition(isCurrent, "what belongs to a loop is used on another thread") }

  @inlinable
  static var current: UInt {
    #if canImport(Glibc)
      pthread_self()
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }
}
