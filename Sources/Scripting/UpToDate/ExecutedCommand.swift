import LuaRuntime

/// What of a command counts for a definition that executes it, and is up to date itself: what its work
/// does, whatever the command is named, summarized or limited to.
extension ScriptHost {
  /// Pushes a table of commands by their names. [-0, +1]
  func pushCommands(_ calls: [Need], on stack: LuaStack) {
    stack.newTable(fields: calls.count)
    for call in calls {
      guard let command = command(named: call.name) else { continue }
      pushCommand(command, on: stack)
      stack.rawSet(call.name, at: -2)
    }
  }

  /// Pushes the object of a command. [-0, +1]
  func pushCommand(_ command: ScriptCommand, on stack: LuaStack) {
    stack.push(commandTable)
    stack.rawGet(command.name, at: -1)
    stack.remove(at: -2)
  }

  /// Returns the name of a command, the texts of its definition, and a table of the values that its work
  /// uses; nothing for another value.
  func describeCommand(_ call: LuaCall) throws -> LuaOutcome {
    guard
      let command = call.stack.withObject(at: 1, Userdata.command, { $0.script }) ?? nil
    else { return .results(0) }
    call.stack.push(LuaString(command.name.exactBytes))
    call.stack.push(LuaString(try command.executedText.exactBytes))
    command.pushExecutedValues(on: call.stack)
    return .results(3)
  }
}

extension ScriptCommand {
  /// True if a name may mean the command, in the file that defines it or elsewhere.
  func isMeant(by name: String) -> Bool {
    ([self.name] + aliases).contains { $0 == name || $0.hasSuffix(":" + name) }
  }

  /// Its lines and programs, where they run, and its parameters.
  fileprivate var executedText: String {
    get throws {
      let environment = description.environment
      let steps = (description.work?.steps ?? []).map { step in
        // Its input is among the values.
        if case .command(let need) = step { "command \(need.name)" } else { "\(step)" }
      }
      let parameters = (description.parameters ?? []).map { parameter in
        "\(parameter.name) \(parameter.kind) \(parameter.isRequired) \(parameter.isRest) "
          + "\(parameter.defaultValue) \(parameter.restDefault) \(parameter.choices)"
      }
      let variables = try environment.definitionParts(for: host.caller).map {
        "\($0.name) \($0.digest)"
      }
      let place =
        "\(environment.directory ?? "") \(environment.shell?.text ?? "") "
        + "\(environment.isInteractive) \(environment.hasTerminal)"
      return
        (["\(steps)", "\(parameters)", place, "\(environment.variables)"] + variables)
        .joined(separator: "\n")
    }
  }

  /// Pushes a table of its functions, and of the commands that it needs and executes, with their inputs.
  /// [-0, +1]
  fileprivate func pushExecutedValues(on stack: LuaStack) {
    let calls = uses.map(\.0)
    stack.newTable(fields: 5)
    let values = stack.top
    stack.pushUserValue(node.anchor, CommandDefinition.Slot.function)
    stack.rawSet("work", at: values)
    if case .asked = description.needs {
      stack.pushUserValue(node.anchor, CommandDefinition.Slot.needs)
      stack.rawSet("needs", at: values)
    }
    host.pushCommands(calls, on: stack)
    stack.rawSet("commands", at: values)
    pushInputs(of: calls, on: stack)
    stack.rawSet("inputs", at: values)
    pushComputedDefaults(on: stack)
    stack.rawSet("defaults", at: values)
  }

  private func pushInputs(of calls: [Need], on stack: LuaStack) {
    stack.newTable(elements: calls.count)
    let inputs = stack.top
    for (index, call) in calls.enumerated() {
      stack.newTable(fields: call.input.count)
      for (name, value) in call.input {
        stack.push(value)
        stack.rawSet(name, at: -2)
      }
      stack.rawSet(index + 1, at: inputs)
    }
  }

  private func pushComputedDefaults(on stack: LuaStack) {
    let parameters = parameters.filter(\.isComputed)
    stack.newTable(fields: parameters.count)
    guard !parameters.isEmpty else { return }
    let defaults = stack.top
    stack.pushUserValue(node.anchor, CommandDefinition.Slot.computed)
    for parameter in parameters {
      stack.rawGet(parameter.name, at: defaults + 1)
      stack.rawSet(parameter.name, at: defaults)
    }
    stack.pop()
  }
}
