import LuaRuntime
import Reactive

extension Library {
  /// Operators that transform values.
  static let transforming: [APIFunction] = [
    APIFunction(
      "map", needs: [], [.required("f", .callback("fun(value: T): U"))], returns: .signal(of: "U"),
      "Transforms each value.",
      example: """
        rac.from{"lua", "swift"}:map(string.upper):subscribe(print)
        --> LUA, SWIFT
        """
    ) {
      call in
      try call.fuse(.map)
    },
    APIFunction(
      "map_replace", needs: [], [.optional("value", .value("U"))], returns: .signal(of: "U"),
      "Replaces each value with the same value.",
      example: """
        rac.range(1, 2):map_replace("tick"):subscribe(print)
        --> tick, tick
        """
    ) { call in
      try call.lift(values: [2]) { upstream, node, _ in upstream.mapReplace(node.userValue(2)) }
    },
    APIFunction(
      "filter", needs: [], [.required("f", .callback("fun(value: T): any"))],
      returns: .signal(of: "T"),
      "Passes on the values that pass a test.",
      example: """
        rac.range(1, 6):filter(function(n) return n % 2 == 0 end):subscribe(print)
        --> 2, 4, 6
        """
    ) { call in
      try call.fuse(.filter)
    },
    APIFunction(
      "ignore", needs: [], [.optional("value", .value("T"))], returns: .signal(of: "T"),
      "Omits values equal to this one.",
      example: """
        rac.from{"a", "", "b"}:ignore(""):subscribe(print)
        --> a, b
        """
    ) { call in
      try call.lift(values: [2]) { upstream, node, fail in
        let ignored = node.userValue(2)
        return upstream.filter { value in
          do { return try !node.host.areEqual(value, ignored) } catch {
            fail(error)
            return false
          }
        }
      }
    },
    APIFunction(
      "ignore_values", needs: [], returns: .signal(of: "T"),
      "Omits all values, and passes on only the end.",
      example: """
        rac.range(1, 3):ignore_values():subscribe(print, nil, function() print("over") end)
        --> over
        """
    ) {
      call in
      try call.lift { $0.ignoreValues() }
    },
    APIFunction(
      "scan", needs: [],
      [
        .optional("seed", .value("U")),
        .required("f", .callback("fun(running: U, value: T, index: integer): U")),
      ], returns: .signal(of: "U"),
      "Combines each value with the previous result, and sends every result: `f(running, value, index)`.",
      example: """
        rac.from{5, 10, 20}:scan(0, function(sum, n) return sum + n end):subscribe(print)
        --> 5, 15, 35
        """
    ) { call in
      try call.fuse(.scan)
    },
    APIFunction(
      "combine_previous", needs: [],
      [
        .optional("start", .value("T")), .required("f", .callback("fun(previous: T, value: T): U")),
      ], returns: .signal(of: "U"),
      "Sends `f(previous, value)` for each value and the one before it; `start` precedes the first value.",
      example: """
        rac.from{3, 7, 6}:combine_previous(0, function(last, n) return n - last end):subscribe(print)
        --> 3, 4, -1
        """
    ) { call in
      try call.lift(values: [2]) { upstream, node, fail in
        upstream.combinePrevious(node.userValue(2), node.combine(3, fail))
      }
    },
    APIFunction(
      "aggregate", needs: [],
      [
        .optional("seed", .value("U")),
        .required("f", .callback("fun(running: U, value: T, index: integer): U")),
      ], returns: .signal(of: "U"),
      "Like `scan`, but sends only the last result, at completion; without values, the seed.",
      example: """
        rac.from{5, 10, 20}:aggregate(0, function(sum, n) return sum + n end):subscribe(print)
        --> 35
        """
    ) { call in
      try call.lift(values: [2]) { upstream, node, fail in
        upstream.aggregate(node.userValue(2), withIndex: node.fold(3, fail))
      }
    },
    APIFunction(
      "aggregate_with", needs: [],
      [
        .required("make_seed", .callback("fun(): U")),
        .required("f", .callback("fun(running: U, value: T, index: integer): U")),
      ], returns: .signal(of: "U"),
      "Like `aggregate`, with a seed that a function creates for each subscription, such as a table that `f` changes. RAC: `aggregateWithStartFactory:reduce:`.",
      example: """
        local words = rac.from{"lua", "swift"}
        local by_length = words:aggregate_with(function() return {} end, function(all, word)
          all[#word] = word
          return all
        end)
        by_length:map(rac.json.encode):subscribe(print)
        --> {"3":"lua","5":"swift"}
        """
    ) { call in
      try call.lift { upstream, node, fail in
        let makeSeed = node.callback(2)
        return .defer { upstream.aggregate(try makeSeed.call(), withIndex: node.fold(3, fail)) }
      }
    },
    APIFunction(
      "collect", needs: [], returns: .signal(of: "rac.List<T>"),
      "Sends all values as one list, with their number in `n`, at completion.",
      example: """
        rac.from{"b", "a"}:collect():subscribe(function(list) print(list.n, list[1]) end)
        --> 2	b
        """
    ) { call in
      let host = call.host
      return try call.lift { $0.collect().map { host.list($0) } }
    },
    APIFunction(
      "count", needs: [], returns: .signal(of: "integer"),
      "Sends the number of values, at completion.",
      example: """
        rac.sh("printf 'a\\nb\\n'"):count():subscribe(print)
        --> 2
        """
    ) { call in
      try call.lift { $0.count().map { .integer(Int64($0)) } }
    },
    APIFunction(
      "reduce_each", needs: [], [.required("f", .callback("fun(...: any): U"))],
      returns: .signal(of: "U"),
      "Calls a function with the elements of each tuple, and sends its result.",
      example: """
        rac.zip(rac.from{2, 3}, rac.from{10, 20})
          :reduce_each(function(count, price) return count * price end):subscribe(print)
        --> 20, 60
        """
    ) { call in
      try call.lift { upstream, node, fail in
        let callback = node.callback(2)
        return upstream.map { value in
          do {
            return try callback.call(
              try node.host.tupleElements(value, for: "reduce_each", at: callback.place))
          } catch {
            fail(error)
            return .nil
          }
        }
      }
    },
    APIFunction(
      "buffer", needs: .time, [.required("seconds", .number)], returns: .signal(of: "rac.List<T>"),
      "Sends the values of each period as a list, and the rest at completion.",
      example: """
        local clock <close> = rac.test_scheduler()
        rac.interval(1):take(5):buffer(2.5):map(rac.json.encode):subscribe(print)
        clock:run()
        --> [1,2,3], [4,5]
        """
    ) { call in
      let time = try call.duration(at: 2)
      let host = call.host
      return try call.lift { upstream in
        upstream.queueing(in: host) { $0.buffer(time, on: host.scheduler) }
      }
    },
    APIFunction(
      "materialize", needs: [], returns: .signal(of: "rac.Event<T>"),
      "Sends each event as a value: `{kind = \"next\"|\"error\"|\"completed\", value =, error =}`.",
      example: """
        rac.just(1):materialize():map(rac.json.encode):subscribe(print)
        --> {"kind":"next","value":1}, {"kind":"completed"}
        """
    ) { call in
      let host = call.host
      return try call.lift { $0.materialize().map { host.eventTable($0) } }
    },
    APIFunction(
      "dematerialize", needs: [], returns: .signal(of: "any"),
      "Turns the values of `materialize` back into events.",
      example: """
        rac.from{{kind = "next", value = 7}, {kind = "completed"}}:dematerialize():subscribe(print)
        --> 7
        """
    ) { call in
      let place = call.place
      return try call.lift { upstream, node, _ in
        upstream.tryMap { try node.host.event(of: $0, at: place) }.dematerialize()
      }
    },
  ]
}

extension SignalNode {
  /// Returns a function of a running result, a value and its index from 1.
  fileprivate func fold(
    _ slot: Int, _ fail: @escaping Fail
  ) -> @Sendable (LuaValue, LuaValue, Int) -> LuaValue {
    let callback = callback(slot)
    return { running, value, index in
      do {
        return try callback.call { stack in
          stack.push(running)
          stack.push(value)
          stack.push(index + 1)
          return 3
        }
      } catch {
        fail(error)
        return .nil
      }
    }
  }
}

extension ScriptHost {
  fileprivate func eventTable(_ event: Event<LuaValue>) -> LuaValue {
    value { stack in
      stack.newTable(fields: 2)
      switch event {
      case .next(let value):
        stack.set("kind", "next", at: -1)
        stack.set("value", value, at: -1)
      case .error(let error):
        let value = luaValue(of: error)
        stack.set("kind", "error", at: -1)
        stack.set("error", value, at: -1)
      case .completed: stack.set("kind", "completed", at: -1)
      }
    }
  }

  fileprivate func event(
    of value: LuaValue, at place: SourceLocation
  ) throws(Failure) -> Event<LuaValue> {
    let event: Event<LuaValue>? =
      interpreter.withStack { stack in
        stack.push(value)
        guard stack.type(at: -1) == .table else { return nil }
        let fields = TableFields(stack, at: -1)
        switch fields.text("kind") {
        case "next": return .next(fields["value"])
        case "error": return .error(error(sent: fields["error"]))
        case "completed": return .completed
        default: return nil
        }
      } ?? nil
    guard let event else {
      throw place.failure("dematerialize needs the events of materialize, got \(value.type.name)")
    }
    return event
  }
}
