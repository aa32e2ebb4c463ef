import Commands
import LuaRuntime
import Reactive

/// An object of the library, for code that displays it.
public enum ScriptObject {
  /// A signal, and the name that the script gave it.
  case signal(name: String?)
  /// A subject, and the name that the script gave it.
  case subject(name: String?)
  /// A command defined by a script.
  case command(ScriptCommand)
  /// An execution of a command.
  case execution(Execution<LuaValue, LuaValue>, of: ScriptCommand)
  /// Any other object, by the name of its kind.
  case other(String)
}

extension ScriptObject {
  /// The kind of object, as the documentation names it.
  public var kind: String {
    switch self {
    case .signal: ObjectKind.signal.rawValue
    case .subject: ObjectKind.subject.rawValue
    case .command: ObjectKind.command.rawValue
    case .execution: ObjectKind.execution.rawValue
    case .other(let kind): kind
    }
  }
}

extension ScriptHost {
  /// Returns the library object behind a value; nil for any other value. Runs no Lua code.
  public func object(_ value: LuaValue) -> ScriptObject? {
    guard case .reference(let reference) = value, reference.type == .userdata else { return nil }
    let object: ScriptObject?? = interpreter.withStack { stack in
      stack.push(reference)
      if let signal = stack.object(at: -1, Userdata.signal) {
        switch signal {
        case let signal as ExecutionSignal:
          return .execution(signal.execution, of: signal.execution.scriptCommand)
        case is SubjectObject: return .subject(name: signal.name)
        default: return .signal(name: signal.name)
        }
      }
      if let command = stack.object(at: -1, Userdata.command)?.script { return .command(command) }
      if stack.object(at: -1, Userdata.connection) != nil { return .other("connection") }
      if stack.object(at: -1, Userdata.scheduler) != nil { return .other("scheduler") }
      if stack.object(at: -1, Userdata.disposable) != nil { return .other("disposable") }
      if stack.object(at: -1, Userdata.subscriber) != nil { return .other("subscriber") }
      if stack.object(at: -1, Userdata.lazy) != nil { return .other("lazy") }
      return nil
    }
    return object ?? nil
  }
}

extension ScriptCommand {
  /// True if executions are running.
  public var isExecuting: Bool { !command.activeExecutionSignals.isEmpty }

  /// Sends every error of every later execution as a value; subscribing does not count as handling.
  public var errors: Signal<any Error> { command.errors }
}
