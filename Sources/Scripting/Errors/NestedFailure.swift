import LuaRuntime
import Platform
import Reactive

/// The failure of an execution whose work has made another one fail, identified by the raised
/// value.
///
/// A library error records the execution that it ended. A value of the script's own has to arrive
/// unchanged, so its execution is recorded beside it.
struct InnerFailure {
  /// The raised value.
  let value: LuaValue
  /// The innermost execution that failed with it.
  let command: String
  let execution: Int
  let input: LuaValue
}

extension ScriptHost {
  /// Records that an execution has failed; code that waits for it may raise the same value.
  func noteFailure(_ error: any Error, of script: ScriptExecution) {
    guard let value = ownValue(of: error) else { return }
    var failure = InnerFailure(
      value: value, command: script.scriptCommand.name, execution: script.id,
      input: script.input)
    if let inner = script.innerFailure, inner.value == value {
      failure = inner
      innerFailures[script.id] = inner
    }
    script.outer?.innerFailure = failure
  }

  /// Returns the failure of an execution. If an execution inside it failed first, the failure names
  /// that one, with its input, and `outer` is the requested command.
  ///
  /// - Parameters:
  ///   - command: the name of the command whose execution has ended.
  ///   - execution: its id.
  public func failure(of error: any Error, endOf command: String, _ execution: Int) -> Failure {
    var failure = failure(of: error)
    if failure.execution == nil, let inner = innerFailures[execution] {
      (failure.command, failure.execution) = (inner.command, inner.execution)
      failure.input = inner.input
    }
    if failure.execution != nil, failure.execution != execution {
      failure.outer = command
    } else {
      // A rejected execution names its command itself.
      if failure.kind != .notEnabled { failure.command = nil }
      failure.command = failure.command ?? (command.isEmpty ? nil : command)
      failure.execution = execution
    }
    describeCall(in: &failure)
    return failure
  }

  /// Returns the failure of a script or a line of a session; if an execution failed, its call is
  /// included.
  public func failure(ofScript error: any Error) -> Failure {
    var failure = failure(of: error)
    describeCall(in: &failure)
    return namingSource(failure)
  }

  /// A failure with the name of the script whose top level runs, if it has no place in the code: that of
  /// signals and timers that never pause has none.
  func namingSource(_ failure: Failure) -> Failure {
    guard failure.kind == .limit, failure.position == nil, let runningSource else { return failure }
    var failure = failure
    failure.message = "\(runningSource): \(failure.message)"
    return failure
  }

  private func describeCall(in failure: inout Failure) {
    // An anonymous command is known by its place, which messages already include.
    guard failure.execution != nil, let command = failure.command, failure.kind != .notEnabled,
      self.command(named: command) != nil
    else { return }
    failure.call = call(of: command, failure.input)
    failure.inputJSON = failure.input.isNil ? nil : try? json(failure.input)
  }

  /// Returns a call as it could be typed, up to a length: `build target=release`.
  public func call(of command: String, _ input: LuaValue) -> String {
    var words = [command]
    if input.type == .table {
      words += elements(ofList: input).map { describe($0).quotedForShell }
      let rest = self.command(named: command)?.parameters.last.flatMap { $0.isRest ? $0.name : nil }
      let fields = fields(of: input) ?? []
      words += fields.filter { $0.name != rest }.map {
        "\($0.name)=\(describe($0.value).quotedForShell)"
      }
      for field in fields where field.name == rest {
        words += elements(ofList: field.value).map { describe($0).quotedForShell }
      }
    } else if !input.isNil {
      words.append(describe(input))
    }
    let text = words.joined(separator: " ")
    return text.utf8.count <= 200 ? text : text.prefix(199) + "…"
  }

  private func elements(ofList table: LuaValue) -> [LuaValue] {
    interpreter.withStack { stack in
      stack.push(table)
      return TableFields(stack, at: -1).elements(count: min(stack.rawLength(at: -1), 50))
    } ?? []
  }
}
