import LuaRuntime
import Reactive

extension Library {
  /// Operators on errors and completion.
  static let errorHandling: [APIFunction] = [
    APIFunction(
      "catch", needs: [], [.required("f", .callback("fun(error: any): rac.Signal<T>"))],
      returns: .signal(of: "T"),
      "At an error, continues with the signal that a function returns for it. It does not catch events that stop the code from outside, such as a timeout.",
      example: """
        rac.error("offline"):catch(function(failure) return rac.just("cached, " .. failure) end)
          :subscribe(print)
        --> cached, offline
        """
    ) { call in
      try call.lift { upstream, node, _ in
        let callback = node.callback(2)
        return upstream.catch { error in
          if Self.isStop(error) { return .error(error) }
          let result = try callback.call(node.host.luaValue(of: error))
          return try callback.signal(result, from: "the function of catch")
        }
      }
    },
    APIFunction(
      "catch_to", needs: [], [.required("signal", .signal(of: "T"))], returns: .signal(of: "T"),
      "At an error that `catch` would catch, continues with another signal.",
      example: """
        rac.error("offline"):catch_to(rac.just("cached")):subscribe(print)
        --> cached
        """
    ) { call in
      let other = try call.signal(at: 2)
      return try call.join { upstream in
        upstream.catch { Self.isStop($0) ? .error($0) : other }
      }
    },
    APIFunction(
      "retry", needs: [], [.optional("count", .integer)], returns: .signal(of: "T"),
      "Subscribes again at an error, at most a given number of times; without a number or with 0, always, as in RAC.",
      example: """
        local attempts = 0
        rac.try(function()
          attempts = attempts + 1
          if attempts < 3 then error("busy") end
          return "done after " .. attempts
        end):retry(5):subscribe(print)
        --> done after 3
        """
    ) { call in
      let count = call.has(2) ? try call.count(at: 2, atLeast: 0) : 0
      return try call.lift { upstream, node, fail in
        node.interruptible(upstream, fail).retry(count)
      }
    },
    APIFunction(
      "repeated", needs: [], returns: .signal(of: "T"),
      "Subscribes again at completion. RAC: `repeat`.",
      example: """
        rac.from{"tick", "tock"}:repeated():take(3):subscribe(print)
        --> tick, tock, tick
        """
    ) { call in
      try call.lift { upstream, node, fail in node.interruptible(upstream, fail).repeat() }
    },
    APIFunction(
      "try", needs: [], [.required("f", .callback("fun(value: T): any, any"))],
      returns: .signal(of: "T"),
      "Fails at the first value for which a function raises an error, or returns false, or nil and an error.",
      example: """
        rac.from{4, -1}:try(function(n) return n >= 0, "negative" end):subscribe(print, print)
        --> 4, negative
        """
    ) { call in
      try call.lift { upstream, node, _ in
        let callback = node.callback(2)
        return upstream.try { value in
          if try callback.attempt(value) == .bool(false) {
            throw callback.place.failure(
              "the function of try refused the value \(node.host.describe(value))")
          }
        }
      }
    },
    APIFunction(
      "try_map", needs: [], [.required("f", .callback("fun(value: T): U?, any"))],
      returns: .signal(of: "U"),
      "Transforms each value; fails if the function raises an error, or returns nil and an error.",
      example: """
        rac.from{"1", "x"}:try_map(function(s) return tonumber(s), "no number: " .. s end)
          :subscribe(print, print)
        --> 1, no number: x
        """
    ) { call in
      try call.lift { upstream, node, _ in
        let callback = node.callback(2)
        return upstream.tryMap { try callback.attempt($0) }
      }
    },
  ]
}

extension Library {
  /// True if an error stops code from outside: signals do not catch it, as `pcall` does not.
  fileprivate static func isStop(_ error: any Error) -> Bool {
    (error as? LuaError)?.isStop == true
  }
}

extension SignalNode {
  /// Returns a signal that is subscribed repeatedly, possibly without any Lua code in between, in a
  /// form that an interrupt can stop.
  fileprivate func interruptible(
    _ signal: Signal<LuaValue>, _ fail: @escaping Fail
  ) -> Signal<LuaValue> {
    // Not the signal itself: a subscription must not keep a subject alive.
    let signal = Signal(signal)
    return Signal { observer, subscription in
      guard !host.interpreter.isInterrupted else { return fail(host.interruption) }
      signal.observe(observer, in: subscription)
    }
  }
}

extension ScriptHost {
  /// The error of a signal that an interrupt has to stop although no Lua code runs.
  var interruption: Failure {
    interpreter.isProcessFull
      ? Failure(.limit, interpreter.memoryLimitText) : Failure(.cancelled, "interrupted")
  }
}
