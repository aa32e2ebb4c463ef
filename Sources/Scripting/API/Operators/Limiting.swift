import LuaRuntime
import Reactive

extension Library {
  /// Operators that pass only some values.
  static let limiting: [APIFunction] = [
    APIFunction(
      "take", needs: [], [.required("count", .integer)], returns: .signal(of: "T"),
      "Sends the first values, then completes.",
      example: """
        rac.sh("yes"):take(2):subscribe(print)
        --> y, y
        """
    ) { call in
      let count = try call.count(at: 2, atLeast: 0)
      return try call.lift { $0.take(count) }
    },
    APIFunction(
      "take_last", needs: [], [.required("count", .integer)], returns: .signal(of: "T"),
      "Sends the last values.",
      example: """
        rac.range(1, 5):take_last(2):subscribe(print)
        --> 4, 5
        """
    ) { call in
      let count = try call.count(at: 2, atLeast: 0)
      return try call.lift { $0.takeLast(count) }
    },
    APIFunction(
      "take_while", needs: [], [.required("f", .callback("fun(value: T): any"))],
      returns: .signal(of: "T"),
      "Sends the values before the first that fails the test, then completes.",
      example: """
        rac.from{1, 2, 9, 1}:take_while(function(n) return n < 5 end):subscribe(print)
        --> 1, 2
        """
    ) { call in
      try call.lift { upstream, node, fail in upstream.takeWhile(node.predicate(2, fail)) }
    },
    APIFunction(
      "take_until", needs: [],
      [.required("trigger", .either(.signal, .callback("fun(value: T): any")))],
      returns: .signal(of: "T"),
      "Sends values until a signal sends or completes, or until the first that passes a test.",
      example: """
        rac.from{"name: x", "", "body"}:take_until(function(line) return line == "" end)
          :subscribe(print)
        --> name: x
        """
    ) { call in
      guard call.stack.type(at: 2) == .function else {
        let trigger = try call.signal(at: 2)
        return try call.join { $0.takeUntil(trigger) }
      }
      return try call.lift { upstream, node, fail in upstream.takeUntil(node.predicate(2, fail)) }
    },
    APIFunction(
      "take_until_replacement", needs: [], [.required("replacement", .signal(of: "T"))],
      returns: .signal(of: "T"),
      "Sends values until another signal sends, and then that signal's values.",
      example: """
        rac.just("from the cache"):concat(rac.never())
          :take_until_replacement(rac.timer(0.01):map_replace("fresh")):subscribe(print)
        --> from the cache, fresh
        """
    ) { call in
      let replacement = try call.signal(at: 2)
      return try call.join { $0.takeUntilReplacement(replacement) }
    },
    APIFunction(
      "skip", needs: [], [.required("count", .integer)], returns: .signal(of: "T"),
      "Omits the first values.",
      example: """
        rac.from{"PID COMMAND", "1 init"}:skip(1):subscribe(print)
        --> 1 init
        """
    ) { call in
      let count = try call.count(at: 2, atLeast: 0)
      return try call.lift { $0.skip(count) }
    },
    APIFunction(
      "skip_while", needs: [], [.required("f", .callback("fun(value: T): any"))],
      returns: .signal(of: "T"),
      "Sends the values from the first one that fails the test.",
      example: """
        rac.from{1, 2, 9, 1}:skip_while(function(n) return n < 5 end):subscribe(print)
        --> 9, 1
        """
    ) { call in
      try call.lift { upstream, node, fail in upstream.skipWhile(node.predicate(2, fail)) }
    },
    APIFunction(
      "skip_until", needs: [], [.required("f", .callback("fun(value: T): any"))],
      returns: .signal(of: "T"),
      "Sends the values from the first one that passes the test.",
      example: """
        rac.from{"noise", "BEGIN", "data"}:skip_until(function(line) return line == "BEGIN" end)
          :subscribe(print)
        --> BEGIN, data
        """
    ) { call in
      try call.lift { upstream, node, fail in upstream.skipUntil(node.predicate(2, fail)) }
    },
    APIFunction(
      "distinct_until_changed", needs: [],
      [.optional("are_same", .callback("fun(last: T, value: T): any"))],
      returns: .signal(of: "T"),
      "Omits values equal to the previous one, by `==` or by a function of both.",
      example: """
        rac.from{1, 1, 2, 1}:distinct_until_changed():subscribe(print)
        --> 1, 2, 1
        """
    ) { call in
      let hasTest = call.has(2)
      return try call.lift { upstream, node, fail in
        let callback = node.callback(2)
        return upstream.distinctUntilChanged { last, new in
          do {
            return hasTest
              ? try callback.call(last, new).isTruthy : try node.host.areEqual(last, new)
          } catch {
            fail(error)
            return true
          }
        }
      }
    },
  ]

  /// Operators based on time.
  static let timing: [APIFunction] = [
    APIFunction(
      "throttle", needs: .time,
      [.required("seconds", .number), .optional("f", .callback("fun(value: T): any"))],
      returns: .signal(of: "T"),
      "Sends a value only after the given time has passed without another one; with a test, only values that pass it wait.",
      example: """
        local clock <close> = rac.test_scheduler()
        local typed = rac.subject()
        typed:throttle(0.5):subscribe(print)
        typed:send_next("l") clock:advance(0.1)
        typed:send_next("lu") clock:advance(0.1)
        typed:send_next("lua") clock:advance(1)
        --> lua
        """
    ) { call in
      let interval = try call.duration(at: 2)
      let scheduler = call.host.scheduler
      guard call.has(3) else { return try call.lift { $0.throttle(interval, on: scheduler) } }
      return try call.lift { upstream, node, fail in
        upstream.throttle(interval, on: scheduler, valuesPassingTest: node.predicate(3, fail))
      }
    },
    APIFunction(
      "delay", needs: .time, [.required("seconds", .number)], returns: .signal(of: "T"),
      "Delays values and completion by the given time; errors pass immediately.",
      example: """
        local clock <close> = rac.test_scheduler()
        rac.just("coffee"):delay(240):subscribe(function(it) print(it, clock.now) end)
        clock:run()
        --> coffee	240.0
        """
    ) { call in
      let interval = try call.duration(at: 2)
      let scheduler = call.host.scheduler
      return try call.liftQueueing { $0.delay(interval, on: scheduler) }
    },
    APIFunction(
      "timeout", needs: .time, [.required("seconds", .number)], returns: .signal(of: "T"),
      "Fails with an error of kind `timeout` unless the signal ends within the time.",
      example: """
        local ok, failure = pcall(function() rac.never():timeout(0.01):wait() end)
        print(failure.kind)
        --> timeout
        """
    ) { call in
      let interval = try call.duration(at: 2)
      let scheduler = call.host.scheduler
      return try call.lift { $0.timeout(interval, on: scheduler) }
    },
  ]
}
