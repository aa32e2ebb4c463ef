import Commands
import LuaRuntime
import Platform
import Reactive

extension Library {
  static let commandFunctions: [APIFunction] = [
    APIFunction(
      "command", needs: [],
      [
        .required(
          "definition",
          .either(
            .table("rac.CommandDefinition"),
            .either(.callback("fun(input: any): rac.Signal<any>"), .signal(of: "boolean"))),
          mistake: meantName),
        .optional("signal_block", .callback("fun(input: any): rac.Signal<any>")),
      ],
      returns: .object(.command),
      "Defines a command with a table, or makes an anonymous one from a signal block, with or without a preceding `enabled` condition.",
      example: """
        local greet = rac.command{
          name = "greet", params = {{name = "whom", default = "world"}},
          run = function(input) return "hello " .. input.whom end,
        }
        print(greet:execute{whom = "Lua"}:first())

        local double = rac.command(function(input) return rac.just(input * 2) end)
        print(double:execute(21):first())
        --> hello Lua, 42
        """
    ) { call in
      let definition = CommandDefinition(call)
      guard call.stack.type(at: 1) == .table else { return try definition.pushFromBlock() }
      do {
        return try call.host.keepingDefinition(at: 1, on: call.stack) {
          try definition.pushFromTable()
        }
      } catch {
        guard let report = call.host.reportMistake else { throw call.host.placed(error) }
        report(call.host.problem(error))
        return try definition.pushPlaceholder()
      }
    },
    APIFunction(
      "defaults", needs: [], [.required("keys", .table("rac.Defaults"))],
      "Sets defaults for the commands below it in this file. Later calls add to them; `false` removes a key, here and in a command. Variables in `env` accumulate. The defaults do not apply to included files.",
      example: """
        rac.defaults{env = {STAGE = "test"}, shell = {"bash", "-euo", "pipefail", "-c"}}
        local show = rac.command{name = "show", run = "echo $STAGE in ${BASH##*/}"}
        print(show:execute():first())
        rac.defaults{env = false, shell = false}
        --> test in bash
        """
    ) { call in
      do { try FileDefaults.add(call) } catch {
        guard let report = call.host.reportMistake else { throw error }
        report(call.host.problem(error))
      }
      return .none
    },
  ]

  static let commandObject = APIObject(
    kind: .command, summary: "Work that is executed on demand, with a condition and a policy.",
    methods: [
      APIFunction(
        "execute", needs: [],
        [.optional("input", .any), .optional("options", .table("rac.ExecuteOptions"))],
        returns: .object(.execution),
        "Attempts an execution. If the attempt is not admitted, the returned execution has failed with an error of kind `not_enabled`.",
        example: """
          local slow = rac.command(function(n) return rac.timer(0.01):map_replace(n) end)
          local first, second = slow:execute(1), slow:execute(2)
          print(select(2, pcall(second.wait, second)).kind)
          print(first:first())
          --> not_enabled, 1
          """
      ) { call in
        let script = try call.command(at: 1).start(
          call.value(at: 2), skippingNeeds: try call.skipsNeeds(optionsAt: 3))
        if !call.lua.wantsResults { call.host.showUntakenOutput(of: script) }
        call.host.push(script, on: call.stack)
        return .results(1)
      }
    ],
    properties: [
      APIProperty(
        "name", needs: [], .noted(.string, "string?"), "The name; nil for an anonymous command."
      ) {
        call in
        call.returning(try call.command(at: 1).description.name.map { .string($0) } ?? .nil)
      },
      APIProperty(
        "executing", needs: [], .signal(of: "boolean"),
        "Whether the command is executing: now, and at each change."
      ) {
        call in
        try call.commandSignal { $0.command.executing.map { .bool($0) } }
      },
      APIProperty(
        "enabled", needs: [], .signal(of: "boolean"),
        "Whether an attempt would be admitted: now, and at each change."
      ) { call in
        try call.commandSignal { script in script.asked { $0.enabled } }
      },
      APIProperty(
        "ready", needs: [], .signal(of: "boolean"),
        "Whether the service, called without arguments, is ready: now, and at each change. Subscribing does not start it. For a command that is not a service, the value is always false."
      ) {
        call in
        try call.commandSignal { script in script.readiness }
      },
      APIProperty(
        "immediate_enabled", needs: [], .signal(of: "boolean"),
        "Like `enabled`, but delivered without a hop to the loop."
      ) {
        call in
        try call.commandSignal { script in script.asked { $0.immediateEnabled } }
      },
      APIProperty(
        "errors", needs: [], .signal(of: "any"), "The errors of all executions, as values."
      ) {
        call in
        let host = call.host
        return try call.commandSignal { script in
          script.countingErrorObservers(
            script.command.failures.map {
              host.luaValue(of: host.error($0.error, endedBy: $0.execution.script))
            })
        }
      },
      APIProperty(
        "disabled_errors", needs: [], .signal(of: "rac.Error"),
        "An error for each attempt that was not admitted."
      ) {
        call in
        let host = call.host
        return try call.commandSignal { script in
          script.countingErrorObservers(
            script.command.disabledErrors.map {
              var failure = host.failure(of: $0)
              failure.name(script)
              return host.luaValue(of: failure)
            })
        }
      },
      APIProperty(
        "execution_signals", needs: [], .signal(of: "rac.Signal<any>"),
        "For each future execution, a signal of its values, which completes if the execution fails."
      ) {
        call in
        let host = call.host
        return try call.commandSignal { script in
          script.command.executionSignals.map { host.value(of: $0) }
        }
      },
      APIProperty(
        "executions", needs: [], .signal(of: "rac.Execution"),
        "All future executions, including their errors."
      ) {
        call in
        try call.pushCommandEvents { script, node in
          CommandExecutions(
            script, { [unowned(unsafe) host = call.host] in host.userdata(of: $0.script) }, node)
        }
      },
      APIProperty(
        "active_execution_signals", needs: [], .table("rac.List<rac.Execution>"),
        "The running executions, in order."
      ) {
        call in
        let script = try call.command(at: 1)
        let host = call.host
        return call.returning(
          host.list(script.activeExecutions.map { host.userdata(of: $0) }))
      },
      APIProperty(
        "allows_concurrent_execution", needs: [], .boolean,
        "Whether several executions may run at a time.",
        read: { call in
          call.returning(.bool(try call.command(at: 1).command.allowsConcurrentExecution))
        },
        write: { call in
          let value = call.value(at: 2)
          guard let allows = value.boolValue else {
            throw APIUsageError.fieldType("allows_concurrent_execution", .boolean, got: value.type)
              .error(at: call.host.placeOfCall())
          }
          try call.command(at: 1).command.allowsConcurrentExecution = allows
          return .none
        }),
      APIProperty(
        "concurrent_execution_allowed", needs: [], .signal(of: "boolean"),
        "The value of `allows_concurrent_execution`: now, and immediately at each change."
      ) {
        call in
        try call.commandSignal { $0.command.concurrentExecutionAllowed.map { .bool($0) } }
      },
    ],
    metamethods: [
      APIFunction("__tostring", needs: [], "The command's name.") { call in
        let script = try call.command(at: 1)
        return call.returning(
          .string(script.description.name.map { "command: \($0)" } ?? script.name))
      }
    ])

  static let executionObject = APIObject(
    kind: .execution, summary: "One execution of a command: a signal of its values.",
    methods: [
      APIFunction(
        "cancel", needs: [],
        "Ends the work; the slot becomes free once the work has actually ended.",
        example: """
          local serve = rac.command(function() return rac.exec{"sleep", "60"} end)
          local running = serve:execute()
          running:cancel()
          print(running.state)
          --> cancelled
          """
      ) { call in
        try call.execution(at: 1).cancel()
        return .none
      }
    ],
    properties: [
      APIProperty("id", needs: [], .integer, "Its unique number.") { call in
        call.returning(.integer(Int64(try call.execution(at: 1).id)))
      },
      APIProperty("input", needs: [], .any, "Its input.") { call in
        call.returning(try call.execution(at: 1).input)
      },
      APIProperty(
        "state", needs: [], .noted(.string, "rac.State"),
        "`queued`, `running`, `completed`, `failed` or `cancelled`."
      ) { call in
        call.returning(.string(try call.execution(at: 1).state.rawValue))
      },
      APIProperty(
        "up_to_date", needs: [], .boolean,
        "Whether it was skipped because its command is up to date: see `sources`."
      ) { call in
        call.returning(.bool(try call.execution(at: 1).isUpToDate))
      },
      APIProperty("command", needs: [], .object(.command), "Its command.") { call in
        _ = try call.execution(at: 1)
        call.stack.getUserValue(1, at: 1)
        return .results(1)
      },
    ],
    metamethods: [
      APIFunction("__tostring", needs: [], "The execution's id, command and state.") { call in
        let script = try call.execution(at: 1)
        return call.returning(
          .string("execution \(script.id) of \(script.scriptCommand.name) (\(script.state))"))
      },
      APIFunction("__eq", needs: [], "Whether both are the same execution.") { call in
        let other = call.stack.object(at: 2, Userdata.execution)
        return call.returning(.bool(try call.execution(at: 1).id == other?.id))
      },
    ])
}

extension APICall {
  func command(at index: Int) throws -> ScriptCommand {
    if let script = stack.withObject(at: index, Userdata.command, { $0.script }) ?? nil {
      return script
    }
    _ = try lua.object(at: index, Userdata.command)
    throw APIUsageError.undefinedCommand
  }

  /// Reads whether the options of `execute` leave out what the command needs.
  fileprivate func skipsNeeds(optionsAt index: Int) throws -> Bool {
    guard has(index) else { return false }
    try refuseUnknownKeys(at: index, of: Library.executeOptions)
    let needs = try TableFields(stack, at: index).bool("needs", called: "option 'needs'") {
      LuaArgumentError.value(at: index, problem: $0)
    }
    return needs == false
  }

  fileprivate func execution(at index: Int) throws -> ScriptExecution {
    try lua.object(at: index, Userdata.execution)
  }

  /// Pushes a signal of the command at 1, and keeps the command alive.
  fileprivate func commandSignal(
    _ make: (ScriptCommand) -> Signal<LuaValue>
  ) throws -> LuaOutcome {
    try pushCommandEvents { script, node in CommandEvents(make(script), node) }
  }

  fileprivate func pushCommandEvents(
    _ make: (ScriptCommand, SignalNode) -> CommandEvents
  ) throws -> LuaOutcome {
    let script = try command(at: 1)
    let object = SignalObject()
    let node = push(object, as: Userdata.signal, holding: [1])
    object.become(make(script, node))
    return .results(1)
  }
}

extension ScriptCommand {
  /// Returns a signal derived from the enabled condition; subscribing to it also subscribes to the
  /// condition at the latest.
  fileprivate func asked(
    _ signal: @escaping @Sendable (Command<LuaValue, LuaValue>) -> Signal<Bool>
  ) -> Signal<LuaValue> {
    Signal { [unowned self] observer, subscription in
      if !hasPredicate { ask() }
      signal(command).map { .bool($0) }.observe(observer, in: subscription)
    }
  }

  /// Returns a signal of errors whose subscribers count as handlers.
  fileprivate func countingErrorObservers(_ signal: Signal<LuaValue>) -> Signal<LuaValue> {
    Signal { [unowned self] observer, subscription in
      errorObservers.add(1, ordering: .relaxed)
      subscription.add { self.errorObservers.subtract(1, ordering: .relaxed) }
      signal.observe(observer, in: subscription)
    }
  }
}

extension ScriptHost {
  /// Returns the problem of a definition, prefixed with its position.
  func problem(_ error: any Error) -> String {
    "\(placeOfDefinition() ?? "?"): \(problemText(error))"
  }

  /// Returns the problem of a definition alone.
  func problemText(_ error: any Error) -> String {
    if case LuaArgumentError.value(_, let problem) = error { problem } else { "\(error)" }
  }

  /// Returns the error of a definition at its place, rather than at that of a function that makes it.
  fileprivate func placed(_ error: any Error) -> any Error {
    guard let place = placeOfDefinition(), place != placeOfCall() else { return error }
    if let error = error as? APIUsageError { return error.error(at: place) }
    guard case LuaArgumentError.value(let position, let problem) = error else { return error }
    return LuaError("\(place): bad argument #\(position) to 'command' (\(problem))")
  }

  /// Returns a Lua value for a signal that needs nothing from Lua.
  fileprivate func value(of signal: Signal<LuaValue>) -> LuaValue {
    value { $0.push(SignalObject(signal, isFree: true), as: Userdata.signal) }
  }

  /// Returns the Lua value for an execution, which keeps its command.
  fileprivate func userdata(of script: ScriptExecution) -> LuaValue {
    value { push(script, on: $0) }
  }

  /// Returns a list with its length in `n`.
  public func list(_ values: [LuaValue]) -> LuaValue {
    value { stack in
      stack.newTable(elements: values.count, fields: 1)
      for (index, value) in values.enumerated() {
        stack.push(value)
        stack.rawSet(index + 1, at: -2)
      }
      stack.set("n", .integer(Int64(values.count)), at: -1)
      if !values.isEmpty, values.allSatisfy(\.isNil) { stack.markEmptyList() }
    }
  }
}

/// The hint for a name in front of the definition; nil for anything else.
private func meantName(_ call: APICall) -> String? {
  guard call.stack.type(at: 1) == .string, let name = call.value(at: 1).stringValue?.exactText
  else { return nil }
  return "table expected, got string; did you mean rac.command{name = \(LuaLiteral.text(name)), …}?"
}
