/// An error that left Lua, or one that a host function throws into Lua.
///
/// A class, so that a typed throw costs one pointer.
public final class LuaError: Error, Sendable {
  /// Who raised it.
  public enum Origin: Sendable {
    /// The script itself, by `error` or `assert`.
    case script
    /// Lua or a C library: an operation on a wrong value, a bad argument.
    case interpreter
    /// A host function.
    case host
  }

  /// What sort of failure it is.
  public enum Kind: Sendable, Equatable {
    case runtime
    /// The chunk does not compile. `incomplete`: it ends where more could follow.
    case syntax(incomplete: Bool)
    /// The file cannot be read or is no Lua text.
    case file
    /// The memory limit was reached.
    case memoryLimit
    /// `LuaInterpreter.interrupt()` stopped the code.
    case interrupt
    /// It ran past `LuaInterpreter.deadline`.
    case deadline
    /// It ran for longer than `LuaInterpreter.timeLimit` at a stretch.
    case timeLimit
    /// Too many nested calls: Lua's stack, or calls from the host into Lua.
    case depth
    /// An error while an error was handled.
    case errorHandling
    /// The interpreter has closed.
    case closed
  }

  /// The raised value: the same that the script raised, tables by identity.
  public let value: LuaValue
  /// One readable line.
  public let message: String
  /// The script frames at the place where it was raised, in Lua's form. Nil when there was no
  /// memory for it, and for errors that did not come from running code.
  public let traceback: String?
  /// `file:line` of the place, when known.
  public let position: String?
  /// Who raised it.
  public let origin: Origin
  /// What sort of failure it is.
  public let kind: Kind
  /// The Swift error that the value stands for, when the interpreter's error bridge knows it.
  public let cause: (any Error)?

  init(
    value: LuaValue, message: String, traceback: String? = nil, position: String? = nil,
    origin: Origin = .host, kind: Kind = .runtime, cause: (any Error)? = nil
  ) {
    self.value = value
    self.message = message
    self.traceback = traceback
    self.position = position
    self.origin = origin
    self.kind = kind
    self.cause = cause
  }

  /// An error whose value is a text, for a host function to throw.
  public convenience init(_ message: String) {
    self.init(value: .string(message), message: message)
  }

  /// An error with any value, for a host function to throw.
  public convenience init(value: LuaValue) {
    self.init(value: value, message: value.description)
  }

  /// That the memory limit of an interpreter is reached, by what a host function would have to make.
  public static func memoryLimit(of interpreter: LuaInterpreter) -> LuaError {
    let text = interpreter.memoryLimitText
    return LuaError(value: .string(text), message: text, kind: .memoryLimit)
  }

  /// Whether the memory limit was reached.
  public var isMemoryLimit: Bool { kind == .memoryLimit }
  /// Whether the code was interrupted.
  public var isInterrupt: Bool { kind == .interrupt }
  /// Whether a limit of the interpreter was reached: memory, time, depth, or errors within errors.
  public var isLimit: Bool {
    switch kind {
    case .memoryLimit, .timeLimit, .depth, .errorHandling: true
    default: false
    }
  }
  /// Whether the chunk is only the beginning of a longer one, so that a REPL may ask for more.
  public var isIncompleteChunk: Bool { kind == .syntax(incomplete: true) }
}

extension LuaError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

/// A host function's complaint about one of its arguments, told in Lua's words: `bad argument #1
/// to 'map' (function expected, got nil)`.
public enum LuaArgumentError: Error, Sendable {
  /// A wrong type; the name of the right one.
  case type(at: Int, expected: String)
  /// A wrong value; what is wrong with it.
  case value(at: Int, problem: String)
}

/// How Swift errors look to a script, and how they are recognised when they come back.
public struct LuaErrorBridge {
  /// Pushes exactly one value for the error and returns true, or pushes nothing and returns false;
  /// then the error's description is raised as a string.
  public var push: (any Error, LuaStack) -> Bool
  /// The Swift error that the value at an index stands for, if any. Leaves the stack as it is.
  public var recover: (LuaStack, Int) -> (any Error)?

  /// A bridge of two functions.
  public init(
    push: @escaping (any Error, LuaStack) -> Bool,
    recover: @escaping (LuaStack, Int) -> (any Error)?
  ) {
    self.push = push
    self.recover = recover
  }
}
