import LuaRuntime
import Platform
import Reactive

extension Library {
  /// Methods that suspend the calling coroutine.
  static let waiting: [APIFunction] = [
    APIFunction(
      "first", needs: [], [.optional("default", .value("T"))], returns: .value("T"), waits: true,
      "Waits for the first value; the default if there is none. Raises the signal's error.",
      example: """
        print(rac.from{"a", "b"}:first(), rac.empty():first("nothing"))
        --> a	nothing
        """
    ) { call in try first(call) },
    APIFunction(
      "first_or_default", needs: [], [.required("default", .value("T"))], returns: .value("T"),
      waits: true,
      "RAC's name for `first`.",
      example: """
        print(rac.empty():first_or_default("nothing"))
        --> nothing
        """
    ) { call in try first(call) },
    APIFunction(
      "last", needs: [], [.optional("default", .value("T"))], returns: .value("T"), waits: true,
      "Waits for completion and returns the last value. Raises the signal's error.",
      example: """
        print(rac.from{"a", "b"}:last())
        --> b
        """
    ) { call in
      var latest = call.value(at: 2)
      return try call.wait(
        for: try call.signal(at: 1), next: { _, value in latest = value }, completed: { [latest] })
    },
    APIFunction(
      "to_table", needs: [], returns: .table("rac.List<T>"), waits: true,
      "Waits for completion and returns all values, their number in `n`. Raises the signal's error.",
      example: """
        local lines = rac.exec{"printf", "a\\\\nb\\\\n"}:to_table()
        print(lines.n, lines[1], lines[2])
        --> 2	a	b
        """
    ) { call in try all(call) },
    APIFunction(
      "to_array", needs: [], returns: .table("rac.List<T>"), waits: true,
      "RAC's name for `to_table`.",
      example: """
        print(#rac.range(1, 5):filter(function(n) return n % 2 == 1 end):to_array())
        --> 3
        """
    ) { call in try all(call) },
    APIFunction(
      "wait", needs: [], waits: true,
      "Waits for completion. Raises the signal's error. In a command, the output of the processes is shown as the command's output.",
      example: """
        local ok, failure = pcall(function() rac.exec{"false"}:wait() end)
        print(ok, failure.kind, failure.code)
        --> false	exit	1
        """
    ) { call in try call.waitForEnd() },
    APIFunction(
      "wait_until_completed", needs: [], waits: true, "RAC's name for `wait`.",
      example: """
        rac.just("saved"):delay(0.01):do_next(print):wait_until_completed()
        print("done")
        --> saved, done
        """
    ) { call in try call.waitForEnd() },
  ]

  private static func first(_ call: APICall) throws -> LuaOutcome {
    let fallback = call.value(at: 2)
    return try call.wait(
      for: try call.signal(at: 1), next: { wait, value in wait.finish(.success([value])) },
      completed: { [fallback] })
  }

  private static func all(_ call: APICall) throws -> LuaOutcome {
    var values: [LuaValue] = []
    let host = call.host
    return try call.wait(
      for: try call.signal(at: 1), next: { _, value in values.append(value) },
      completed: { [host.list(values)] })
  }

  /// Functions of time.
  static let time: [APIFunction] = [
    APIFunction(
      "sleep", needs: .time, [.required("seconds", .number)], waits: true,
      "Waits for a number of seconds.",
      example: """
        local started = rac.now()
        rac.sleep(0.02)
        print(rac.now() - started >= 0.02)
        --> true
        """
    ) {
      call in
      let duration = try call.duration(at: 1)
      let scheduler = call.host.scheduler
      return try call.wait { wait in
        wait.subscription.add(
          scheduler.schedule(after: duration, onLoop { wait.finish(.success([])) }))
      }
    },
    APIFunction(
      "now", needs: .time, returns: .number,
      "Returns the seconds of a monotonic clock since an arbitrary moment.",
      example: """
        local started = rac.now()
        rac.exec{"true"}:wait()
        print(rac.now() - started < 60)
        --> true
        """
    ) { call in
      call.returning(.number(call.host.scheduler.now.inSeconds))
    },
  ]
}
