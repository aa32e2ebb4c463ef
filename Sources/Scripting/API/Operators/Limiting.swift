import LuaRuntime
import Reactive

extension Library {
  /// Operators that pass only some values.
  static let limiting: [APIFunction] = [
    APIFunction(
      "take", needs: [], [.required("count", .integer)], returns: .signal(of: "T"),
      "The first values, then completion."
    ) { call in
      let count = try call.count(at: 2, atLeast: 0)
      return try call.lift { $0.take(count) }
    },
    APIFunction(
      "take_last", needs: [], [.required("count", .integer)], returns: .signal(of: "T"),
      "The last values."
    ) { call in
      let count = try call.count(at: 2, atLeast: 0)
      return try call.lift { $0.takeLast(count) }
    },
    APIFunction(
      "take_while", needs: [], [.required("f", .callback("fun(value: T): any"))],
      returns: .signal(of: "T"),
      "The values before the first that fails the test, then completion."
    ) { call in
      try call.lift { upstream, node, fail in upstream.takeWhile(node.predicate(2, fail)) }
    },
    APIFunction(
      "take_until", needs: [],
      [.required("trigger", .either(.signal, .callback("fun(value: T): any")))],
      returns: .signal(of: "T"),
      "The values before a signal sends or completes, or before the first that passes a test."
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
      "The values before another signal sends, and then that one's."
    ) { call in
      let replacement = try call.signal(at: 2)
      return try call.join { $0.takeUntilReplacement(replacement) }
    },
    APIFunction(
      "skip", needs: [], [.required("count", .integer)], returns: .signal(of: "T"),
      "Leaves out the first values."
    ) { call in
      let count = try call.count(at: 2, atLeast: 0)
      return try call.lift { $0.skip(count) }
    },
    APIFunction(
      "skip_while", needs: [], [.required("f", .callback("fun(value: T): any"))],
      returns: .signal(of: "T"),
      "The values from the first on that fails the test."
    ) { call in
      try call.lift { upstream, node, fail in upstream.skipWhile(node.predicate(2, fail)) }
    },
    APIFunction(
      "skip_until", needs: [], [.required("f", .callback("fun(value: T): any"))],
      returns: .signal(of: "T"),
      "The values from the first on that passes the test."
    ) { call in
      try call.lift { upstream, node, fail in upstream.skipUntil(node.predicate(2, fail)) }
    },
    APIFunction(
      "distinct_until_changed", needs: [],
      [.optional("are_same", .callback("fun(last: T, value: T): any"))],
      returns: .signal(of: "T"),
      "Leaves out values equal to the one before, by `==` or by a function of both."
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
      "A value only once so much time has passed without another; with a test only those that pass it wait."
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
      "Values and completion so much later; errors at once."
    ) { call in
      let interval = try call.duration(at: 2)
      let scheduler = call.host.scheduler
      return try call.liftQueueing { $0.delay(interval, on: scheduler) }
    },
    APIFunction(
      "timeout", needs: .time, [.required("seconds", .number)], returns: .signal(of: "T"),
      "Fails with an error of kind `timeout` unless the signal ends within the time."
    ) { call in
      let interval = try call.duration(at: 2)
      let scheduler = call.host.scheduler
      return try call.lift { $0.timeout(interval, on: scheduler) }
    },
  ]
}
