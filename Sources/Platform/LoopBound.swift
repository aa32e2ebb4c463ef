/// A value that belongs to the thread of an event loop: the thread that makes this box, and the only
/// one that may use the value.
///
/// It is `Sendable`, so that closures and objects which are passed between threads can carry it. Use
/// of the value on another thread stops the program, in release builds too: the check compares two
/// numbers. The value is released by whichever thread drops the box last. SwiftNIO: `NIOLoopBound`.
///
/// A loop and an interpreter of Lua belong to the thread that makes them, so the thread stands for
/// both, and the box needs neither.
public struct LoopBound<Value>: @unchecked Sendable {
  // Unchecked: `value`, which checks the thread, is the only way to `bound`.

  @usableFromInline let bound: Value
  @usableFromInline let thread = LoopThread()

  /// Binds a value to the calling thread.
  @inlinable
  public init(_ value: Value) {
    bound = value
  }

  /// The value. Stops the program on another thread than its own.
  @inlinable
  public var value: Value {
    thread.check()
    return bound
  }
}

// A function is captured by itself: inside the box of a generic value it could be called only by way
// of memory, which costs more than all the rest.

/// Returns a function that calls `body`, which may use what belongs to the calling thread's loop, and
/// that stops the program when it is called on another thread.
@inlinable
public func onLoop<Result>(_ body: @escaping () -> Result) -> @Sendable () -> Result {
  nonisolated(unsafe) let body = body
  let thread = LoopThread()
  return {
    thread.check()
    return body()
  }
}

/// Returns such a function with one parameter.
@inlinable
public func onLoop<Input, Result>(
  _ body: @escaping (Input) -> Result
) -> @Sendable (Input) -> Result {
  nonisolated(unsafe) let body = body
  let thread = LoopThread()
  return { input in
    thread.check()
    return body(input)
  }
}

/// Returns such a function with two parameters.
@inlinable
public func onLoop<First, Second, Result>(
  _ body: @escaping (First, Second) -> Result
) -> @Sendable (First, Second) -> Result {
  nonisolated(unsafe) let body = body
  let thread = LoopThread()
  return { first, second in
    thread.check()
    return body(first, second)
  }
}
