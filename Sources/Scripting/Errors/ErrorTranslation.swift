import Commands
import LuaRuntime
import Reactive

extension ScriptHost {
  /// Converts an error of any form to a failure.
  public func failure(of error: any Error) -> Failure {
    switch error {
    case let failure as Failure: return failure
    case let error as LuaError: return failure(of: error)
    case let error as CommandError: return failure(of: error)
    case let error as InputError: return Failure(.input, error.description)
    case SignalError.timedOut(let limit):
      return Failure(.timeout, "the signal did not end within \(limit.text)")
    case SignalError.endless(let limit):
      return Failure(.limit, "the signals ran for more than \(limit.text) without a pause")
    default: return Failure(.user, String(describing: error))
    }
  }

  private func failure(of error: LuaError) -> Failure {
    if var failure = error.cause as? Failure {
      failure.traceback = failure.traceback ?? error.traceback
      return failure
    }
    let kind: Failure.Kind =
      if error.isInterrupt {
        .cancelled
      } else if error.kind == .deadline {
        .timeout
      } else if error.isLimit {
        .limit
      } else if error.origin == .script || isOwnValue(error.value) {
        .user
      } else {
        .lua
      }
    let message =
      switch kind {
      case .timeout: Failure.late.message
      case .lua:
        error.message + UnknownMethod.hint(in: error.message)
          + hintAtMissingCommand(in: error.message)
      default: error.message
      }
    var failure = Failure(kind, message)
    failure.position = error.position
    failure.traceback = error.traceback
    if kind == .user { failure.value = error.value }
    return failure
  }

  /// Returns true if a raised value is not a message. The library raises no such value of its own:
  /// it passes on values that a script has sent as errors, as `wait` does.
  private func isOwnValue(_ value: LuaValue?) -> Bool {
    guard let type = value?.type else { return false }
    return type != .string && type != .nil
  }

  private func failure(of error: CommandError) -> Failure {
    let kind: Failure.Kind =
      switch error {
      case .notEnabled: .notEnabled
      case .cancelled: .cancelled
      case .timeout: .timeout
      }
    var failure = Failure(kind, error.description)
    switch error {
    case .notEnabled(let reference, let reason):
      let command = reference.name
      failure.command = command
      if let command, let script = self.command(named: command) {
        failure.message =
          "the command '\(command)' is not enabled: \(script.explanation(of: reason))"
        failure.traceback = script.condition.failure?.traceback
      }
    case .timeout(let limit): failure.message = "the execution took longer than \(limit.text)"
    case .cancelled: break
    }
    return failure
  }

  /// Returns the Lua value for an error: the value that the script raised, or an error table.
  public func luaValue(of error: any Error) -> LuaValue {
    ownValue(of: error) ?? makeErrorTable(failure(of: error))
  }

  /// Returns the value that the script raised, which may be one of our tables.
  func ownValue(of error: any Error) -> LuaValue? {
    if let error = error as? LuaError, error.origin == .script || error.cause != nil {
      return error.value
    }
    return failure(of: error).value
  }

  /// Returns an error as it leaves an execution. A library error records the execution it ended,
  /// the innermost one if there are several.
  func error(_ error: any Error, endedBy script: ScriptExecution) -> any Error {
    guard let value = ownValue(of: error) else {
      var failure = failure(of: error)
      failure.name(script)
      return failure
    }
    // The same value has to arrive, and in Lua only its fields can change.
    if var failure = recoverFailure(value), failure.name(script) {
      interpreter.withStack { stack in
        stack.push(value)
        setExecution(of: failure, at: stack.top, on: stack)
      }
    }
    return error
  }

  /// Returns the error in the form that is raised inside Lua.
  func raisable(_ error: any Error) -> LuaError {
    // An error of the script's own keeps its traceback.
    if let error = error as? LuaError, error.origin == .script || error.cause != nil {
      return error
    }
    return LuaError(value: luaValue(of: error))
  }

  /// Makes an error from a value that a script sent as one.
  func error(sent value: LuaValue) -> any Error {
    if let failure = recoverFailure(value) { return failure }
    let text = interpreter.withStack { stack in
      stack.push(value)
      return stack.describeError(at: stack.top)
    }
    var failure = Failure(.user, text ?? describe(value))
    failure.value = value
    return failure
  }

  /// Returns Lua's `tostring` of a value, or a plain description if that fails; of a float its
  /// description, because Lua's text has 14 digits only.
  public func describe(_ value: LuaValue) -> String {
    if case .number = value { return value.description }
    return interpreter.withStack { stack in
      stack.push(value)
      return (try? stack.describe(at: -1)) ?? value.description
    } ?? value.description
  }

  /// Sets the fields of an error table that identify the failed execution.
  private func setExecution(of failure: Failure, at index: Int, on stack: LuaStack) {
    let fields: [(String, LuaValue)] = [
      ("command", command(of: failure)),
      ("execution", failure.execution.map { .integer(Int64($0)) } ?? .nil),
      ("input", failure.input),
    ]
    for (name, value) in fields where !value.isNil { stack.set(name, value, at: index) }
  }

  /// Returns a reference to the command of a failure: its name, or an anonymous command itself.
  private func command(of failure: Failure) -> LuaValue {
    if let anchor = failure.anonymousCommand {
      let command = value { $0.push(anchor) }
      if !command.isNil { return command }
    }
    return failure.command.map { .string($0) } ?? .nil
  }

  private func makeErrorTable(_ failure: Failure) -> LuaValue {
    let table: LuaValue =
      interpreter.withStack { stack in
        stack.newTable(fields: 8)
        let set = { (name: String, value: LuaValue) in
          if !value.isNil { stack.set(name, value, at: -1) }
        }
        set("kind", .string(failure.kind.rawValue))
        set("message", .string(failure.message))
        set("code", failure.code.map { .integer(Int64($0)) } ?? .nil)
        set("signal", failure.signal.map { .string($0) } ?? .nil)
        set("stderr", failure.stderr.map { .string($0) } ?? .nil)
        set("captured", failure.hidesStandardError && failure.stderr != nil ? .bool(true) : .nil)
        setExecution(of: failure, at: -1, on: stack)
        set("traceback", failure.traceback.map { .string($0) } ?? .nil)
        if !failure.argv.isEmpty {
          stack.newTable(elements: failure.argv.count)
          for (index, word) in failure.argv.enumerated() {
            stack.push(word)
            stack.rawSet(index + 1, at: -2)
          }
          stack.rawSet("argv", at: -2)
        }
        return stack.value(at: -1)
      } ?? .nil
    let error = interpreter.withoutMemoryLimit {
      try? prelude.call(.newError, [table])
    }
    return error ?? .string(failure.message)
  }

  /// Returns the failure that one of our error tables represents.
  func recoverFailure(_ value: LuaValue) -> Failure? {
    guard case .reference(let table) = value, table.type == .table,
      let isError = interpreter.withoutMemoryLimit({
        try? prelude.call(.isError, [value])
      }), isError.isTruthy
    else { return nil }
    return interpreter.withStack { stack in
      stack.push(value)
      let fields = TableFields(stack, at: stack.top)
      let kind = fields.text("kind").flatMap(Failure.Kind.init(rawValue:)) ?? .user
      var failure = Failure(kind, fields.text("message") ?? "error")
      failure.code = fields.integer("code").map { Int32(truncatingIfNeeded: $0) }
      failure.signal = fields.text("signal")
      failure.stderr = fields.text("stderr")
      failure.hidesStandardError = fields["captured"].isTruthy
      if case .command(let script) = object(fields["command"]) {
        failure.name(script)
      } else {
        failure.command = fields.text("command")
      }
      failure.execution = fields.integer("execution").map { Int($0) }
      failure.input = fields["input"]
      failure.traceback = fields.text("traceback")
      failure.argv = fields.list("argv").map(\.description)
      failure.value = value
      return failure
    } ?? nil
  }
}
