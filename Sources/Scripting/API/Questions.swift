import LuaRuntime

extension Library {
  static let questions: [APIFunction] = [
    APIFunction(
      "is_signal", needs: [], [.optional("value", .any)], returns: .boolean,
      "Whether a value is a signal."
    ) { call in
      call.returning(.bool(call.stack.holds(Userdata.signal, at: 1)))
    },
    APIFunction(
      "is_command", needs: [], [.optional("value", .any)], returns: .boolean,
      "Whether a value is a command."
    ) { call in
      call.returning(.bool(call.stack.object(at: 1, Userdata.command) != nil))
    },
    APIFunction(
      "stats", needs: [], returns: .table("rac.Stats"),
      "What is alive: `subscriptions`, `executions`, `coroutines`, `commands`, `processes`, `references`, and `memory` in bytes."
    ) { call in
      let host = call.host
      call.stack.newTable(fields: 8)
      for (name, count) in host.statistics {
        call.stack.set(name, .integer(Int64(count)), at: -1)
      }
      return .results(1)
    },
  ]
}

extension ScriptHost {
  /// The counts of live objects, by the names of `rac.stats`.
  public var statistics: [(name: String, count: Int)] {
    [
      ("subscriptions", activeSubscriptions), ("executions", executions.count),
      ("coroutines", activeRuns), ("commands", commands.count),
      ("processes", loop.liveProcesses), ("references", interpreter.referenceCount),
      ("memory", interpreter.memoryInUse),
    ]
  }
}
