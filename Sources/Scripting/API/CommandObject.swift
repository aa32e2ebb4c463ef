import Commands
import LuaRuntime
import Reactive

extension Library {
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
  /// Returns a Lua value for a signal that needs nothing from Lua.
  fileprivate func value(of signal: Signal<LuaValue>) -> LuaValue {
    value { $0.push(SignalObject(signal, isFree: true), as: Userdata.signal) }
  }

  /// Returns the Lua value for an execution, which keeps its command.
  fileprivate func userdata(of script: ScriptExecution) -> LuaValue {
    value { push(script, on: $0) }
  }
}
