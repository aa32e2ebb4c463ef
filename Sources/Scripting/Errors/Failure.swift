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
  /// The command with its input, as it could be typed; known where the execution is.
  public internal(set) var call: String?
  /// The input as JSON; known where the execution is.
  public var inputJSON: String?
  /// The name of the command that was asked for, if `command` is another, which has failed inside it.
  public var outer: String?
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

  /// The message, behind the call that has failed if that is not what was asked for.
  public var text: String {
    guard outer != nil, let call else { return message }
    return "\(call): \(message)"
  }

  /// The failure with its texts changed.
  public func mapTexts(_ change: (String) -> String) -> Failure {
    var failure = self
    failure.message = change(message)
    failure.stderr = stderr.map(change)
    failure.argv = argv.map(change)
    failure.traceback = traceback.map(change)
    failure.call = call.map(change)
    return failure
  }
}
