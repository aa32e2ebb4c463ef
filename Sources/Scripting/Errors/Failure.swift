import LuaRuntime

/// What went wrong, by the kinds and fields that scripts and programs see.
public struct Failure: Error, Sendable {
  /// The kinds of the contract.
  public enum Kind: String, Sendable {
    case lua, exit, spawn, notEnabled = "not_enabled", timeout, cancelled, dependency, input, limit
    case user
  }

  /// What sort of failure it is.
  public var kind: Kind
  /// One readable line.
  public var message: String
  /// `file:line` in the script, where known.
  public var position: String?
  /// The exit status of a process.
  public var code: Int32?
  /// The name of the signal that ended a process.
  public var signal: String?
  /// The last lines of a process's standard error.
  public var stderr: String?
  /// The program and its arguments.
  public var argv: [String] = []
  /// The name of the command; of an anonymous one where it was defined.
  public var command: String?
  /// The userdata of the command, if that is anonymous: no name leads to it.
  var anonymousCommand: LuaAnchor?
  /// The id of the execution.
  public var execution: Int?
  /// What the command was executed with.
  public var input = LuaValue.nil
  /// The script's frames at the point of the error.
  public var traceback: String?
  /// Whether a script could not be read or does not compile.
  public var isLoadFailure = false
  /// Whether `stderr` was captured, so that nobody has seen it yet.
  public var hidesStandardError = false
  /// What the script raised, when it raised a value of its own, which may be Lua's nil.
  public var value: LuaValue?

  /// A failure of a kind.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

extension Failure: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
