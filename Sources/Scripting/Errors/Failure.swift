import LuaRuntime

/// An error, with the kinds and fields that scripts and programs see.
public struct Failure: Error, Sendable {
  /// The documented kinds.
  public enum Kind: String, Sendable {
    case lua, exit, spawn, notEnabled = "not_enabled", timeout, cancelled, dependency, input, limit
    case user
    /// Three workers were lost while they executed it, or the hub was.
    case lost
  }

  /// The kind of failure.
  public var kind: Kind
  /// The kind of the failure that has led to this one; set if the kind is `dependency`, and for the end of
  /// a service that has not ended by its process.
  public var cause: Kind?
  /// A readable message of one line.
  public var message: String
  /// The `file:line` in the script, if known.
  public var position: String?
  /// The exit status of a process.
  public var code: Int32?
  /// The name of the signal that ended a process.
  public var signal: String?
  /// The last lines of a process's standard error.
  public var stderr: String?
  /// The program and its arguments.
  public var argv: [String] = []
  /// The name of the command; for an anonymous one, the place of its definition.
  public var command: String?
  /// The userdata of an anonymous command, which cannot be found by name.
  var anonymousCommand: LuaAnchor?
  /// The id of the execution.
  public var execution: Int?
  /// The input of the execution.
  public var input = LuaValue.nil
  /// The command with its input, as it could be typed; set if the execution is known.
  public var call: String?
  /// The input as JSON; set if the execution is known.
  public var inputJSON: String?
  /// The name of the requested command, if `command` is another one that failed inside it.
  public var outer: String?
  /// The message without the words that a service was lost. Services that are lost in turn say them once.
  var reasonOfLoss: String?
  /// The step of the requested command in which another one failed, as `step 1 of 2`.
  var step: String?
  /// The script's frames at the point of the error.
  public var traceback: String?
  /// True if a script could not be read or does not compile.
  public var isLoadFailure = false
  /// True if `stderr` was captured, so that it has not been shown yet.
  public var hidesStandardError = false
  /// The value that the script raised, if it raised a value of its own, which may be Lua's nil.
  public var value: LuaValue?

  /// Makes a failure of a kind.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

extension Failure: CustomStringConvertible {
  /// The message.
  public var description: String { message }

  /// The message, prefixed with the failed call if that is not what was requested.
  public var text: String {
    guard outer != nil, let call else { return message }
    return (step.map { "\($0): " } ?? "") + "\(call): \(message)"
  }

  /// The failure with its position before the message, which Lua's own messages begin with.
  package var atPosition: Failure {
    var failure = self
    if let position, !message.hasPrefix("\(position): ") {
      failure.message = "\(position): \(message)"
    }
    return failure
  }

  /// Returns the failure with its texts changed.
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
