/// An error that left Lua, or one that a host function throws into Lua.
///
/// A class, so that a typed throw costs one pointer.
public final class LuaError: Error, Sendable {
  /// The code that raised an error.
  public enum Origin: Sendable {
    /// The script itself, by `error` or `assert`.
    case script
    /// Lua or a C library: an operation on a value of the wrong type, a bad argument.
    case interpreter
    /// A host function.
    case host
  }

  /// The kind of error.
  public enum Kind: Sendable, Equatable {
    case runtime
    /// The chunk does not compile. `incomplete`: more text could complete it.
    case syntax(incomplete: Bool)
    /// The file cannot be read or is not Lua text.
    case file
    /// The memory limit was reached.
    case memoryLimit
    /// `LuaInterpreter.interrupt()` stopped the code.
    case interrupt
    /// It ran past `LuaInterpreter.deadline`.
    case deadline
    /// It ran longer than `LuaInterpreter.timeLimit` without a pause.
    case timeLimit
    /// Too many nested calls: Lua's stack, or calls from the host into Lua.
    case depth
    /// An error occurred while an error was handled.
    case errorHandling
    /// The interpreter has closed.
    case closed
  }

  /// The raised value, identical to the script's: tables keep their identity.
  public let value: LuaValue
  /// A readable message of one line.
  public let message: String
  /// The script frames at the place where it was raised, in Lua's form. Nil if there was no memory
  /// for it, and for errors that did not come from running code.
  public let traceback: String?
  /// The `file:line` of the place, if known.
  public let position: String?
  /// The code that raised it.
  public let origin: Origin
  /// The kind of error.
  public let kind: Kind
  /// The Swift error that the value represents, if the interpreter's error bridge knows it.
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

  /// Makes an error whose value is a text, for a host function to throw.
  public convenience init(_ message: String) {
    self.init(value: .string(message), message: message)
  }

  /// Makes an error with any value, for a host function to throw.
  public convenience init(value: LuaValue) {
    self.init(value: value, message: value.description)
  }

  /// Returns the error for exceeding an interpreter's memory limit, for a host function to throw.
  public static func memoryLimit(of interpreter: LuaInterpreter) -> LuaError {
    let text = interpreter.memoryLimitText
    return LuaError(value: .string(text), message: text, kind: .memoryLimit)
  }

  /// True if the memory limit was reached.
  public var isMemoryLimit: Bool { kind == .memoryLimit }
  /// True if the code was interrupted.
  public var isInterrupt: Bool { kind == .interrupt }
  /// True if it has stopped code from outside, which code must not catch: an interrupt, a deadline
  /// or a time limit.
  public var isStop: Bool {
    kind == .interrupt || kind == .deadline || kind == .timeLimit
  }
  /// True if a limit of the interpreter was reached: memory, time, depth, or errors within errors.
  public var isLimit: Bool {
    switch kind {
    case .memoryLimit, .timeLimit, .depth, .errorHandling: true
    default: false
    }
  }
  /// True if the chunk is only the beginning of a longer one, so that a REPL can ask for more.
  public var isIncompleteChunk: Bool { kind == .syntax(incomplete: true) }
}

extension LuaError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

/// An invalid argument of a host function, reported in Lua's wording: `bad argument #1 to 'map'
/// (function expected, got nil)`.
public enum LuaArgumentError: Error, Sendable {
  /// The type is wrong; the name of the right one.
  case type(at: Int, expected: String)
  /// The value is wrong; a description of the problem.
  case value(at: Int, problem: String)
}

/// Converts Swift errors to Lua values, and recognises them when they return.
public struct LuaErrorBridge {
  /// Pushes exactly one value for the error and returns true, or pushes nothing and returns false;
  /// then the error's description is raised as a string.
  public var push: (any Error, LuaStack) -> Bool
  /// Returns the Swift error that the value at an index represents, if any. Leaves the stack
  /// unchanged.
  public var recover: (LuaStack, Int) -> (any Error)?
  /// Describes, in one line, an error value at an index that has neither `__tostring` nor a
  /// `message`; nil for the default description. Leaves the stack unchanged.
  public var describe: (LuaStack, Int) -> String?

  /// Makes a bridge from functions.
  public init(
    push: @escaping (any Error, LuaStack) -> Bool,
    recover: @escaping (LuaStack, Int) -> (any Error)?,
    describe: @escaping (LuaStack, Int) -> String? = { _, _ in nil }
  ) {
    self.push = push
    self.recover = recover
    self.describe = describe
  }
}
