import LuaRuntime

extension Library {
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
  fileprivate func execution(at index: Int) throws -> ScriptExecution {
    try lua.object(at: index, Userdata.execution)
  }
}
