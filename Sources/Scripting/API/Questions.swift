import LuaRuntime

extension Library {
  static let questions: [APIFunction] = [
    APIFunction(
      "is_signal", needs: [], [.optional("value", .any)], returns: .boolean,
      "Returns whether a value is a signal.",
      example: """
        print(rac.is_signal(rac.just(1)), rac.is_signal(1))
        --> true	false
        """
    ) { call in
      call.returning(.bool(call.stack.holds(Userdata.signal, at: 1)))
    },
    APIFunction(
      "is_command", needs: [], [.optional("value", .any)], returns: .boolean,
      "Returns whether a value is a command.",
      example: """
        print(rac.is_command(rac.command(rac.just)), rac.is_command(print))
        --> true	false
        """
    ) { call in
      call.returning(.bool(call.stack.object(at: 1, Userdata.command) != nil))
    },
    APIFunction(
      "stats", needs: [], returns: .table("rac.Stats"),
      "Returns the numbers of live objects (`subscriptions`, `executions`, `coroutines`, `commands`, `processes`, `references`), and `memory` in bytes.",
      example: """
        local ticks <close> = rac.interval(1):subscribe()
        print(rac.stats().subscriptions)
        --> 1
        """
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
