import LuaRuntime
import Reactive

extension Library {
  /// Operators on signals of signals.
  static let flattening: [APIFunction] = [
    APIFunction(
      "flat_map", needs: [], [.required("f", .callback("fun(value: T): rac.Signal<U>"))],
      returns: .signal(of: "U"),
      "Turns each value into a signal with a function, and sends the values of all these signals as they arrive.",
      example: """
        rac.from{"a", "b"}
          :flat_map(function(word) return rac.exec{"echo", word, word}:take(1) end)
          :collect():map(function(lines) table.sort(lines) return table.concat(lines, "; ") end)
          :subscribe(print)
        --> a a; b b
        """
    ) { call in
      try call.fuse(.flatMap) { upstream, node in
        node.fallible { fail in
          let callback = node.callback(2)
          return upstream.flatMap(into: { value, merging in
            do {
              if let type = merging.add(try callback.made(of: value)) {
                throw callback.returned(
                  type, from: "the function of flat_map", insteadOf: "a signal")
              }
            } catch { fail(error) }
          })
        }
      }
    },
    APIFunction(
      "bind", needs: [],
      [.required("f", .callback("fun(): (fun(value: T): rac.Signal<U>?, boolean?)"))],
      returns: .signal(of: "U"),
      "Turns each value into a signal with a function, and sends the values of all these signals as they arrive, until the function returns nil or, as a second result, true. `f` creates that function for each subscription.",
      example: """
        local until_zero = rac.from{2, 1, 0, 5}:bind(function()
          return function(n) if n > 0 then return rac.range(1, n) end end
        end)
        until_zero:subscribe(print)
        --> 1, 2, 1
        """
    ) { call in
      try call.bound()
    },
    APIFunction(
      "flatten", needs: [], [.optional("max_concurrent", .integer)], returns: .signal(of: "any"),
      "Sends the values of the signals that this one sends, of at most a given number at a time (default: all).",
      example: """
        rac.from{rac.timer(0.02):map_replace("first"), rac.just("second")}:flatten(1):subscribe(print)
        --> first, second
        """
    ) { call in
      let limit = call.has(2) ? try call.count(at: 2, atLeast: 0) : 0
      return try call.liftInner("flatten") { $0.flatten(limit) }
    },
    APIFunction(
      "switch_to_latest", needs: [], returns: .signal(of: "any"),
      "Sends the values of the latest signal that this one sent.",
      example: """
        rac.from{rac.never(), rac.just("newest")}:switch_to_latest():subscribe(print)
        --> newest
        """
    ) { call in
      try call.liftInner("switch_to_latest") { $0.switchToLatest() }
    },
    APIFunction(
      "concat", needs: [], [.variadic("signals", .signal(of: "T"))], returns: .signal(of: "T"),
      "Sends this signal's values and then those of others; without arguments, those of the signals that this one sends, one after the other.",
      example: """
        rac.just("header"):concat(rac.range(1, 2), rac.just("footer")):subscribe(print)
        --> header, 1, 2, footer
        """
    ) { call in
      guard call.count > 1 else { return try call.liftInner("concat") { $0.concat() } }
      let signals = try call.signals(1...)
      return try call.join { _ in .concat(signals) }
    },
    APIFunction(
      "merge", needs: [], [.variadic("signals", .signal(of: "T"))], returns: .signal(of: "T"),
      "Sends this signal's values and those of others as they arrive; without arguments, those of the signals that this one sends.",
      example: """
        rac.timer(0.02):map_replace("later"):merge(rac.just("now")):subscribe(print)
        --> now, later
        """
    ) { call in
      guard call.count > 1 else { return try call.liftInner("merge") { $0.flatten() } }
      let signals = try call.signals(1...)
      return try call.join { _ in .merge(signals) }
    },
    APIFunction(
      "group_by", needs: [],
      [
        .required("f", .callback("fun(value: T): any")),
        .optional("transform", .callback("fun(value: T): U")),
      ],
      returns: .signal(of: "rac.Group<T>"),
      "Groups the values by a key that a function computes, and sends a signal with a `key` for each group; `transform` maps the values in it.",
      example: """
        rac.from{"a.c", "b.h", "c.c"}
          :group_by(function(file) return file:match("%w+$") end)
          :flat_map(function(group)
            return group:collect():map(function(files) return group.key .. ": " .. files.n end)
          end)
          :subscribe(print)
        --> c: 2, h: 1
        """
    ) { call in
      let hasTransform = call.has(3)
      return try call.lift { upstream, node, fail in
        let key = node.transform(2, fail)
        let groups =
          hasTransform
          ? upstream.groupBy(key, transform: node.transform(3, fail)) : upstream.groupBy(key)
        return groups.map { group in
          node.host.value { $0.push(GroupObject(group), as: Userdata.group) }
        }
      }
    },
  ]

  static let groupObject = APIObject(
    kind: .group, summary: "The values of one key, as `group_by` sends them.",
    properties: [
      APIProperty("key", needs: [], .any, "The key that the values share.") { call in
        call.returning(try call.lua.object(at: 1, Userdata.group).key)
      }
    ])
}

extension APICall {
  fileprivate func bound() throws -> LuaOutcome {
    try lift { upstream, node, fail in
      let makeBinding = node.callback(2)
      let make: @Sendable () -> LuaValue? = {
        do {
          let binding = try makeBinding.call()
          if binding.type == .function { return binding }
          fail(
            makeBinding.returned(
              binding.type, from: "the function of bind", insteadOf: "a function"))
        } catch { fail(error) }
        return nil
      }
      return upstream.bind {
        let binding = make()
        return { value, stop in
          guard let binding else { return nil }
          do {
            let results = try node.host.interpreter.call(binding, [value], results: 2)
            stop = results[1].isTruthy
            return results[0].isNil
              ? nil : try makeBinding.signal(results[0], from: "the function made for bind")
          } catch {
            fail(error)
            return nil
          }
        }
      }
    }
  }

  /// Pushes a signal that an operator makes from a signal of signals.
  fileprivate func liftInner(
    _ name: String, _ lift: @escaping @Sendable (Signal<Signal<LuaValue>>) -> Signal<LuaValue>
  ) throws -> LuaOutcome {
    let (host, place) = (host, place)
    return try self.lift { upstream in
      lift(
        upstream.tryMap { value in
          guard let signal = host.signal(from: value) else {
            throw place.failure("\(name) needs a signal of signals, got \(value.type.name)")
          }
          return signal.waitingForItsTurn(in: host)
        })
    }
  }
}
